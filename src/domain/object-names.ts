import { createHash } from "node:crypto";

import { base32 } from "../lib/base32.ts";

/** Characters of an object's name that names of what is made for it begin with. */
const prefixCharacters = 30;
/** 128 bits: 26 characters of base32. */
const keyedBytes = 16;
/** Random bytes that {@link randomName} needs for its 10 characters. */
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
  return `${namePrefix(automation.name)}-${base32(digest.subarray(0, keyedBytes))}`;
}

/**
 * A name for a Run of an Automation, or for a Prompt or child of a Session, from its name and {@link randomNameBytes} bytes;
 * may exist already. The same bytes give the same name, so that a repeated create stores no second object.
 */
export function randomName(name: string, random: Uint8Array): string {
  return `${namePrefix(name)}-${base32(random).slice(0, randomCharacters)}`;
}

/** The beginning of a name that is derived from another object's; the rest follows after a dash. */
export function namePrefix(name: string): string {
  return name.slice(0, prefixCharacters).replace(/-+$/, "");
}
