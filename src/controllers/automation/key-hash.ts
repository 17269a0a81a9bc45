import { Buffer } from "node:buffer";
import { keyHashDataKey, type Webhook } from "../../api/v1alpha1/index.ts";
import type { Secret } from "../../kube/core-resources.ts";
import type { SourceHash } from "./facts.ts";

type KeyHashSecretReference = NonNullable<Webhook["keyHashSecretRef"]>;

const sha256Hex = /^[0-9a-f]{64}$/;

/** Characters of a hash that are shown: enough to tell keys apart, too few to find one. */
const hintCharacters = 8;

/** Reads the hash in the Secret that an automation names; a line break at its end is ignored. */
export function sourceHash(secret: Secret | undefined, { name, key }: KeyHashSecretReference): SourceHash {
  if (!secret) return { state: "missing" };
  const value = dataOf(secret, key);
  if (value === undefined) return { state: "invalid", message: `Secret ${name} has no key ${key}` };
  const hash = value.trim();
  if (sha256Hex.test(hash)) return { state: "found", hash };
  const message = `Key ${key} of Secret ${name} must be 64 lower-case hexadecimal digits, the SHA-256 of the API key's text`;
  return { state: "invalid", message };
}

/** The hash that the ingress compares keys with; undefined when the Secret holds no valid one. */
export function storedHash(secret: Secret | undefined): string | undefined {
  const hash = secret && dataOf(secret, keyHashDataKey);
  return hash !== undefined && sha256Hex.test(hash) ? hash : undefined;
}

export function keyHint(hash: string): string {
  return hash.slice(0, hintCharacters);
}

function dataOf({ data }: Secret, key: string): string | undefined {
  const value = data?.[key];
  return value === undefined ? undefined : Buffer.from(value, "base64").toString("utf8");
}
