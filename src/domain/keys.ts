import { createHash, timingSafeEqual } from "node:crypto";
import { keyHashDataKey } from "../api/v1alpha1/names.ts";

/** Random bytes of an API key: 32, which base64url writes as 43 characters. */
export const apiKeyBytes = 32;

/** The text of an API key made of {@link apiKeyBytes} random bytes; throws for another number of bytes. */
export function makeApiKey(random: Uint8Array): string {
  if (random.length !== apiKeyBytes) throw new Error(`an API key has ${apiKeyBytes} bytes, not ${random.length}`);
  return Buffer.from(random).toString("base64url");
}

/** Characters of a hash that are shown: enough to tell keys apart, too few to find one. */
const hintCharacters = 8;

/** The beginning of a key's hash, which may be shown. */
export function keyHint(hash: string): string {
  return hash.slice(0, hintCharacters);
}

/** The stored hash of a key: lower-case hexadecimal SHA-256 of its text. */
export function hashApiKey(key: string): string {
  return createHash("sha256").update(key, "utf8").digest("hex");
}

/** Whether a text can be the hash of a key. */
export function isKeyHash(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** The hash in the Secret of an Automation's key, whose values are base64; undefined where there is no valid one. */
export function storedKeyHash(secret: { data?: Record<string, string> } | undefined): string | undefined {
  const hash = Buffer.from(secret?.data?.[keyHashDataKey] ?? "", "base64").toString("utf8");
  return isKeyHash(hash) ? hash : undefined;
}

/**
 * Whether a key has this hash. The comparison takes constant time, so it reveals nothing of the stored hash; without a
 * stored hash no key matches.
 */
export function keyMatches(key: string, storedHash: string | undefined): boolean {
  const sent = createHash("sha256").update(key, "utf8").digest();
  const stored = Buffer.from(storedHash ?? "", "hex");
  return stored.length === sent.length && timingSafeEqual(stored, sent);
}

/** The data of a merge patch after which a Secret has the wanted data and no other. */
export function replacedData(
  existing: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>> | undefined,
): Record<string, string | null> {
  const removed = Object.fromEntries(Object.keys(existing ?? {}).map((key) => [key, null]));
  return { ...removed, ...wanted };
}
