import { z } from "zod";
import { Filter } from "./filter.ts";
import { IdempotencyKeyFrom } from "./idempotency-key-from.ts";
import { atomicOf, integer, SecretKey, SecretName, withRule } from "./schema.ts";
import { WebhookAuthentication } from "./webhook-authentication.ts";

/** A token bucket per ingress replica; `perSecond` and `burst` are its defaults. */
function rateLimit(what: string, perSecond: number, burst: number) {
  const limit = z.object({
    perSecond: integer(1, 1000)
      .default(perSecond)
      .describe(
        `perSecond is how many ${what} per second each ingress replica accepts in the long run, 1 to 1,000. Defaults to ${perSecond}.`,
      ),
    burst: integer(1, 10_000)
      .default(burst)
      .describe(
        `burst is how many ${what} each ingress replica accepts at once, 1 to 10,000 and at least perSecond. Defaults to ${burst}.`,
      ),
  });
  return withRule(limit, {
    message: "burst must be at least perSecond",
    cel: "self.burst >= self.perSecond",
    check: (one) => one.burst >= one.perSecond,
    fieldPath: ".burst",
  });
}

/** Limits of triggers that take deliveries. */
export const deliveryLimits = {
  requestRateLimit: rateLimit("requests", 50, 500)
    .prefault({})
    .describe(
      "requestRateLimit limits requests that prove whose they are, by key or signature, per ingress replica, whatever becomes of them; further ones are answered 429. A value below that of rateLimit counts as that.",
    ),
  rateLimit: rateLimit("new Runs", 5, 50)
    .prefault({})
    .describe(
      "rateLimit limits Runs started per ingress replica; further deliveries that match the filters are answered 429, duplicates excepted.",
    ),
  maxUnfinishedRuns: integer(1, 10_000)
    .default(100)
    .describe(
      "maxUnfinishedRuns is the number of unfinished Runs from which on deliveries are answered 429, 1 to 10,000. Defaults to 100.",
    ),
};

const KeyHashSecretReference = z.object({
  name: SecretName.describe("name is the Secret's name in the Automation's namespace, at most 253 characters."),
  key: SecretKey.default("sha256").describe(
    "key is the data key that holds the hash, at most 253 characters. Defaults to sha256.",
  ),
});

const WebhookShape = z
  .object({
    filters: atomicOf(z.array(Filter).max(64))
      .default([])
      .describe(
        "filters must all match for a delivery to start a Run; with no filter every delivery starts one. At most 64. Defaults to none.",
      ),
    authentication: WebhookAuthentication.optional().describe(
      "authentication is how senders prove whose a request is. Defaults to the key in Authorization: Bearer.",
    ),
    keyHashSecretRef: KeyHashSecretReference.optional().describe(
      "keyHashSecretRef names a Secret with the API key's hash (lower-case hexadecimal SHA-256 of the key's text), for GitOps; with it, Runwright neither creates nor regenerates the key.",
    ),
    idempotencyKeyFrom: IdempotencyKeyFrom.optional().describe(
      "idempotencyKeyFrom says what identifies an event where the sender cannot put idempotencyKey into its body. Defaults to idempotencyKey at the top level of the body.",
    ),
    payloadFile: z
      .boolean()
      .optional()
      .describe(
        "payloadFile gives the agent the whole payload as the file /home/agent/.runwright/payload.json beside the 4,096 characters in its prompt. Defaults to false.",
      ),
    ...deliveryLimits,
  })
  .describe("Webhook is the inbound webhook trigger.");

export const Webhook = withRule(WebhookShape, {
  message:
    "keyHashSecretRef cannot be used with authentication type HMAC, whose secret is needed as it is; use authentication.hmac.secretRef",
  cel: "!has(self.authentication) || self.authentication.type != 'HMAC' || !has(self.keyHashSecretRef)",
  check: ({ authentication, keyHashSecretRef }) => authentication?.type !== "HMAC" || keyHashSecretRef === undefined,
  fieldPath: ".keyHashSecretRef",
});
export type Webhook = z.infer<typeof Webhook>;
