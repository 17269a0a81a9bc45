import { Buffer } from "node:buffer";

import type { HmacAuthentication } from "../../api/v1alpha1/index.ts";
import { encodedSecretPrefix } from "./signing-secret-problem.ts";

/** How a sender signs, with everything filled in. Names of headers are in lower case. */
export interface SignatureScheme {
  /** Header with the signature. */
  header: string;
  algorithm: "sha1" | "sha256" | "sha512";
  encoding: "hex" | "base64";
  prefix: string;
  /** What is between several signatures in the header; undefined where it holds one. */
  between: RegExp | undefined;
  /** Headers whose values stand before the body in what is signed, each with the separator behind it. */
  signedHeaders: readonly string[];
  separator: string;
  /** Header with the time of sending in Unix seconds, one of those that are signed. */
  timestamp: { header: string; toleranceSeconds: number } | undefined;
  /** Whether a secret is `whsec_` and base64 of the bytes that sign; else they are its text. */
  hasEncodedSecret: boolean;
}

const defaultToleranceSeconds = 300;

const github: SignatureScheme = {
  header: "x-hub-signature-256",
  algorithm: "sha256",
  encoding: "hex",
  prefix: "sha256=",
  between: undefined,
  signedHeaders: [],
  separator: "",
  timestamp: undefined,
  hasEncodedSecret: false,
};

/** The scheme of an Automation's settings. */
export function signatureScheme(hmac: HmacAuthentication): SignatureScheme {
  const { preset, toleranceSeconds = defaultToleranceSeconds } = hmac;
  switch (preset) {
    case "github":
      return github;
    case "standard-webhooks":
      return standardWebhooks(toleranceSeconds);
    case undefined:
      return customScheme(hmac, toleranceSeconds);
  }
}

function standardWebhooks(toleranceSeconds: number): SignatureScheme {
  return {
    header: "webhook-signature",
    algorithm: "sha256",
    encoding: "base64",
    prefix: "v1,",
    // A comma where two headers of the name were joined.
    between: /,? +/,
    signedHeaders: ["webhook-id", "webhook-timestamp"],
    separator: ".",
    timestamp: { header: "webhook-timestamp", toleranceSeconds },
    hasEncodedSecret: true,
  };
}

const algorithms = { SHA1: "sha1", SHA256: "sha256", SHA512: "sha512" } as const;

function customScheme(
  {
    header = "",
    algorithm = "SHA256",
    encoding = "Hex",
    prefix = "",
    timestampHeader,
    timestampSeparator = ":",
  }: HmacAuthentication,
  toleranceSeconds: number,
): SignatureScheme {
  const timestamp = timestampHeader?.toLowerCase();
  return {
    header: header.toLowerCase(),
    algorithm: algorithms[algorithm],
    encoding: encoding === "Hex" ? "hex" : "base64",
    prefix,
    between: betweenPrefixed(prefix),
    signedHeaders: timestamp === undefined ? [] : [timestamp],
    separator: timestampSeparator,
    timestamp: timestamp === undefined ? undefined : { header: timestamp, toleranceSeconds },
    hasEncodedSecret: false,
  };
}

/** Only by a prefix is it known which signature is of our form, as by the `v1=` of PagerDuty and CircleCI. */
function betweenPrefixed(prefix: string): RegExp | undefined {
  return prefix === "" ? undefined : /[,; ]+/;
}

/** A new signing secret of random bytes, as the sender is given it. */
export function makeSigningSecret(scheme: SignatureScheme, random: Uint8Array): string {
  const bytes = Buffer.from(random);
  return scheme.hasEncodedSecret ? `${encodedSecretPrefix}${bytes.toString("base64")}` : bytes.toString("base64url");
}

/** The bytes that sign. */
export function signingKey(secret: string, { hasEncodedSecret }: SignatureScheme): Uint8Array {
  if (!hasEncodedSecret) return Buffer.from(secret, "utf8");
  return Buffer.from(secret.slice(encodedSecretPrefix.length), "base64");
}
