import { describe, expect, it } from "vitest";
import { nextSlotMs, slotMs, slotOffsetMs } from "./slots.ts";

const uid = "5f0c1f9a-1111-4111-8111-000000000001";
const offset = slotOffsetMs(uid);
const half = 1_800_000;

describe("slots", () => {
  it("are half an hour apart and depend on the UID alone", () => {
    expect(slotMs).toBe(half);
    expect(offset).toBeGreaterThanOrEqual(0);
    expect(offset).toBeLessThan(half);
    expect(slotOffsetMs("5f0c1f9a-1111-4111-8111-000000000002")).not.toBe(offset);
  });

  it.each([
    { name: "an instant before a slot", atMs: 10 * half + offset - 1, want: 10 * half + offset },
    { name: "at a slot", atMs: 10 * half + offset, want: 11 * half + offset },
    { name: "an instant after a slot", atMs: 10 * half + offset + 1, want: 11 * half + offset },
    // A process that was started again at minute 29 looks at minute 30.
    { name: "a minute before a slot", atMs: 11 * half + offset - 60_000, want: 11 * half + offset },
  ])("$name: the next one", ({ atMs, want }) => {
    expect(nextSlotMs(uid, atMs)).toBe(want);
  });
});
