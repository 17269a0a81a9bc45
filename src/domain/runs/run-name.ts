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
 * The name of the one Run that a key can have at one Automation, the same on every replica: whoever creates it first
 * has the delivery. The last segment is longer than a random one, so the two can never meet.
 */
export function keyedRunName(automation: { name: string; uid: string }, idempotencyKey: string): string {
  const hash = createHash("sha256").update(`${automation.uid}\0`, "utf8");
  // UTF-16 as JSON strings have it: UTF-8 would make one key of all unpaired surrogates.
  const digest = hash.update(Buffer.from(idempotencyKey, "utf16le")).digest();
  return `${prefixOf(automation.name)}-${base32(digest.subarray(0, keyedBytes))}`;
}

/** A name for a delivery without a key, of {@link randomNameBytes} random bytes; may be taken, then draw again. */
export function randomRunName(automation: { name: string }, random: Uint8Array): string {
  return `${prefixOf(automation.name)}-${base32(random).slice(0, randomCharacters)}`;
}

function prefixOf(name: string): string {
  return name.slice(0, prefixCharacters).replace(/-+$/, "");
}
