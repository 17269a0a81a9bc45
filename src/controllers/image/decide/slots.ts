import { createHash } from "node:crypto";

/** How often the branches of an image are looked at: 30 minutes. */
export const slotMs = 1_800_000;

/** By how much an image's slots are later than the half hours of UTC: spread over all images, and always the same for one. */
export function slotOffsetMs(uid: string): number {
  return createHash("sha256").update(uid).digest().readUInt32BE() % slotMs;
}

/** The first slot after an instant, both in milliseconds since 1970. It does not depend on when any process started. */
export function nextSlotMs(uid: string, nowMs: number): number {
  const offset = slotOffsetMs(uid);
  return (Math.floor((nowMs - offset) / slotMs) + 1) * slotMs + offset;
}
