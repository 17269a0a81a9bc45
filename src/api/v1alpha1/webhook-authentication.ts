import { z } from "zod";
import { HeaderName } from "./header-name.ts";
import { integer, matching, SecretKey, SecretName, text, withRule, withRules } from "./schema.ts";

/** CEL and our own check of the same: whether a header's name says that it proves whose a request is. */
const credentialWords =
  /[Aa][Uu][Tt][Hh]|[Kk][Ee][Yy]|[Mm][Aa][Cc]|[Ss][Ee][Cc][Rr][Ee][Tt]|[Ss][Ii][Gg]|[Tt][Oo][Kk][Ee][Nn]/;
const otherHeaders = ["authorization", "proxy-authorization", "idempotency-key"];

/**
 * Whether a header may prove whose a request is, by its name alone: a request without any such header is refused before
 * its Automation is looked at.
 */
export function isCredentialHeader(name: string): boolean {
  return credentialWords.test(name) && !otherHeaders.includes(name.toLowerCase());
}

const CredentialHeader = withRule(
  matching(
    HeaderName,
    credentialWords,
    "must have auth, key, mac, secret, sig or token in it, in any case, as a request without such a header is refused before its Automation is looked at",
  ),
  {
    message: "must be a header of the sender's own; for Authorization there is type Bearer",
    cel: `!(self.lowerAscii() in [${otherHeaders.map((name) => `'${name}'`).join(", ")}])`,
    check: (name) => !otherHeaders.includes(name.toLowerCase()),
  },
);

const signingSecretReference = z.object({
  name: SecretName.describe("name is the Secret's name in the Automation's namespace, at most 253 characters."),
  key: SecretKey.default("signing-secret").describe(
    "key is the data key that holds the signing secret, at most 253 characters. Defaults to signing-secret.",
  ),
});

const visible = /^[ -~]*$/;
const visibleMessage = "must be printable ASCII characters";

export const HmacAuthentication = withRules(
  z
    .object({
      preset: z
        .enum(["github", "standard-webhooks"])
        .optional()
        .describe(
          "preset signs as a known sender does: github (X-Hub-Signature-256) or standard-webhooks (webhook-signature over webhook-id, webhook-timestamp and body, with a secret that begins with whsec_). It sets all that follows but secretRef and toleranceSeconds.",
        ),
      header: CredentialHeader.optional().describe(
        "header is the header with the signature, such as X-Hub-Signature-256, at most 128 characters; its name has auth, key, mac, secret, sig or token in it. Needed without preset.",
      ),
      algorithm: z
        .enum(["SHA1", "SHA256", "SHA512"])
        .optional()
        .describe("algorithm is the hash function of the HMAC: SHA1, SHA256 or SHA512. Defaults to SHA256."),
      encoding: z
        .enum(["Hex", "Base64"])
        .optional()
        .describe("encoding is how the signature is written: Hex, in any case, or Base64. Defaults to Hex."),
      prefix: matching(text(32), visible, visibleMessage)
        .optional()
        .describe(
          "prefix is what stands before the signature in its header, such as sha256=, at most 32 characters. Defaults to nothing.",
        ),
      timestampHeader: HeaderName.optional().describe(
        "timestampHeader is the header with the time of sending in Unix seconds, at most 128 characters. With it the signature is of the timestamp, timestampSeparator and the body; without it, of the body.",
      ),
      timestampSeparator: matching(text(8), visible, visibleMessage)
        .optional()
        .describe(
          "timestampSeparator stands between timestamp and body in what is signed, at most 8 characters. Defaults to a colon.",
        ),
      toleranceSeconds: integer(1, 3_600)
        .optional()
        .describe(
          "toleranceSeconds is how far the timestamp may be from the ingress's clock, in seconds, 1 to 3,600. Defaults to 300.",
        ),
      secretRef: signingSecretReference
        .optional()
        .describe(
          "secretRef names a Secret with the signing secret as text, for GitOps; with it, Runwright neither creates nor regenerates the secret.",
        ),
    })
    .describe("HmacAuthentication says how a sender signs its requests."),
  [
    {
      message: "needs either preset or header",
      cel: "has(self.preset) != has(self.header)",
      check: (hmac) => (hmac.preset === undefined) !== (hmac.header === undefined),
    },
    {
      message: "algorithm, encoding, prefix, timestampHeader and timestampSeparator are set by preset",
      cel: "!has(self.preset) || !(has(self.algorithm) || has(self.encoding) || has(self.prefix) || has(self.timestampHeader) || has(self.timestampSeparator))",
      check: ({ preset, algorithm, encoding, prefix, timestampHeader, timestampSeparator }) =>
        preset === undefined ||
        [algorithm, encoding, prefix, timestampHeader, timestampSeparator].every((field) => field === undefined),
    },
    {
      message: "timestampSeparator needs timestampHeader",
      cel: "!has(self.timestampSeparator) || has(self.timestampHeader)",
      check: (hmac) => hmac.timestampSeparator === undefined || hmac.timestampHeader !== undefined,
      fieldPath: ".timestampSeparator",
    },
    {
      message: "toleranceSeconds needs timestampHeader or the preset standard-webhooks",
      cel: "!has(self.toleranceSeconds) || has(self.timestampHeader) || (has(self.preset) && self.preset == 'standard-webhooks')",
      check: (hmac) =>
        hmac.toleranceSeconds === undefined ||
        hmac.timestampHeader !== undefined ||
        hmac.preset === "standard-webhooks",
      fieldPath: ".toleranceSeconds",
    },
  ],
);
export type HmacAuthentication = z.infer<typeof HmacAuthentication>;

const HeaderAuthentication = z
  .object({
    name: CredentialHeader.describe(
      "name is the header with the token, such as X-Gitlab-Token, at most 128 characters; it has auth, key, mac, secret, sig or token in it.",
    ),
  })
  .describe("HeaderAuthentication says where a sender puts its token.");

export const WebhookAuthentication = withRules(
  z
    .object({
      type: z
        .enum(["Bearer", "HMAC", "Header"])
        .default("Bearer")
        .describe(
          "type is how a sender proves whose a request is: Bearer (the key in Authorization), HMAC (a signature) or Header (the key as a token in a header of the sender's own). Defaults to Bearer.",
        ),
      hmac: HmacAuthentication.optional().describe("hmac configures type HMAC."),
      header: HeaderAuthentication.optional().describe("header configures type Header."),
    })
    .describe("WebhookAuthentication says how a sender proves whose a request is."),
  [
    {
      message: "hmac belongs to authentication type HMAC, which needs it",
      cel: "(self.type == 'HMAC') == has(self.hmac)",
      check: (authentication) => (authentication.type === "HMAC") === (authentication.hmac !== undefined),
      fieldPath: ".hmac",
    },
    {
      message: "header belongs to authentication type Header, which needs it",
      cel: "(self.type == 'Header') == has(self.header)",
      check: (authentication) => (authentication.type === "Header") === (authentication.header !== undefined),
      fieldPath: ".header",
    },
  ],
);
export type WebhookAuthentication = z.infer<typeof WebhookAuthentication>;
