import { createHash } from "node:crypto";

import { base32 } from "../../lib/base32.ts";

/** Characters of the Automation's name that a Run's name begins with. */
const prefixCharacters = 30;
/** 128 bits: 26 characters of base32. */
const keyedBytes = 16;
/** Random bytes that {@link randomRunName} needs for its 10 characters. */
export const randomNameBytes = 7;
const randomCharacters = 10;

/**
 * The name of the one Run of an idempotency key at an Automation, the same on every replica, so that only the first
 * create succeeds. Its last segment is longer than a random one, so the two never collide.
 */
export function keyedRunName(automation: { name: string; uid: string }, idempotencyKey: string): string {
  const hash = createHash("sha256").update(`${automation.uid}\0`, "utf8");
  // UTF-16, as in JSON strings: UTF-8 would make all unpaired surrogates equal.
  const digest = hash.update(Buffer.from(idempotencyKey, "utf16le")).digest();
  return `${prefixOf(automation.name)}-${base32(digest.subarray(0, keyedBytes))}`;
}

/** A name from {@link randomNameBytes} random bytes, for a Run without an idempotency key; may exist already. */
export function randomRunName(automation: { name: string }, random: Uint8Array): string {
  return `${prefixOf(automation.name)}-${base32(random).slice(0, randomCharacters)}`;
}

function prefixOf(name: string): string {
  return name.slice(0, prefixCharacters).replace(/-+$/, "");
}
