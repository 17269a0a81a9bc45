import type { IncomingHttpHeaders } from "node:http";

import { isCredentialHeader } from "../api/v1alpha1/index.ts";
import type { WebhookEndpoint } from "../domain/deliveries/delivery.ts";
import { Refusal } from "../domain/deliveries/refusal.ts";
import { type SignatureScheme, signingKey } from "../domain/deliveries/signature-scheme.ts";
import { signingSecretProblem } from "../domain/deliveries/signing-secret-problem.ts";
import { keyMatches } from "../domain/keys.ts";
import { bearerKey, missingKey } from "./bearer.ts";
import { isSigned } from "./signature.ts";

/** What a sender may prove whose a request is with. */
export interface ProvingRequest {
  headers: IncomingHttpHeaders;
  body: Uint8Array;
  /** When the request arrived. */
  receivedAt: Date;
}

type Endpoint = Pick<WebhookEndpoint, "authentication" | "keyHash" | "signingSecrets">;

/**
 * Whether there is a header that some Automation could take for a proof, whatever the id in the URL, so that requests without one
 * learn nothing about ids.
 */
export function hasCredentials(headers: IncomingHttpHeaders): boolean {
  if (bearerKey(headers.authorization) !== undefined) return true;
  return Object.keys(headers).some((name) => isCredentialHeader(name) && valueOf(headers, name) !== undefined);
}

/**
 * Requires the proof that the Automation asks for. Comparisons take constant time.
 * @throws Refusal `MissingKey`, `WrongKey`, or that of an authentication that cannot be read
 */
export function requireProof({ authentication, keyHash, signingSecrets }: Endpoint, request: ProvingRequest): void {
  if (authentication instanceof Refusal) throw authentication;
  const { headers } = request;
  switch (authentication.type) {
    case "Bearer": {
      const key = bearerKey(headers.authorization);
      if (key === undefined) throw missingKey();
      if (!keyMatches(key, keyHash)) throw new Refusal({ code: "WrongKey", message: "Invalid API key" });
      return;
    }
    case "Header": {
      const { header } = authentication;
      const challenge = `Token header="${header}"`;
      const token = required(headers, { header, challenge, what: "token" });
      if (keyMatches(token, keyHash)) return;
      throw new Refusal({ code: "WrongKey", message: `Invalid token in ${header}`, challenge });
    }
    case "HMAC":
      requireSignature(request, authentication.scheme, signingSecrets);
  }
}

/** The value of a header; undefined where it is absent, empty or repeated in a way that leaves no single text. */
function valueOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function required(
  headers: IncomingHttpHeaders,
  { header, challenge, what }: { header: string; challenge: string; what: string },
): string {
  const value = valueOf(headers, header);
  if (value !== undefined) return value;
  throw new Refusal({ code: "MissingKey", message: `Missing ${what}; send it as ${header}`, challenge });
}

function requireSignature(
  { headers, body, receivedAt }: ProvingRequest,
  scheme: SignatureScheme,
  secrets: readonly string[],
): void {
  const { header, signedHeaders, separator, timestamp } = scheme;
  // HTTP has no registered scheme for signatures; the challenge names the algorithm and the header.
  const challenge = `HMAC-${scheme.algorithm.toUpperCase()} header="${header}"`;
  const sent = required(headers, { header, challenge, what: "signature" });
  const before = signedHeaders.map(
    (name) => `${required(headers, { header: name, challenge, what: "header" })}${separator}`,
  );
  // Of a secret that was stored for another scheme too little may be left to sign with.
  const keys = secrets
    .filter((one) => signingSecretProblem(one, scheme) === undefined)
    .map((one) => signingKey(one, scheme));
  const parts = [...before, body];
  const isOurs = isSigned({ scheme, signatures: signaturesIn(sent, scheme), parts }, keys);
  if (!isOurs) throw new Refusal({ code: "WrongKey", message: "The signature is not that of this request", challenge });
  if (timestamp && !isRecent(String(headers[timestamp.header]), timestamp.toleranceSeconds, receivedAt)) {
    const message = `${timestamp.header} must be Unix seconds, at most ${String(timestamp.toleranceSeconds)} from now`;
    throw new Refusal({ code: "WrongKey", message, challenge });
  }
}

/** More signatures than a sender has while it changes its secret would be tried at our cost. */
const mostSignatures = 8;

function signaturesIn(sent: string, { prefix, between }: SignatureScheme): string[] {
  // A prefix may itself have what is between signatures.
  const all = between ? new Set([sent, ...sent.split(between, mostSignatures)]) : [sent];
  return [...all].filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length));
}

function isRecent(timestamp: string, toleranceSeconds: number, now: Date): boolean {
  if (!/^[0-9]{1,15}$/.test(timestamp)) return false;
  const nowSeconds = Math.floor(now.getTime() / 1_000);
  return Math.abs(nowSeconds - Number(timestamp)) <= toleranceSeconds;
}
