import fc from "fast-check";
import { expect, it } from "vitest";
import { heartbeatLeftMs, isStale } from "./heartbeats.ts";

it.each([
  [0, false, 90_001],
  [89_999.5, false, 1],
  [90_000, false, 1],
  [90_000.1, true, 0],
  [90_001, true, 0],
])("judges a silence of %d ms: stale %s, %d ms left", (silentMs, stale, leftMs) => {
  expect(isStale(silentMs)).toBe(stale);
  expect(heartbeatLeftMs(silentMs)).toBe(leftMs);
});

it("is stale once the time it named is over, and has some left until then", () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 200_000, noNaN: true }), (silentMs) => {
      const leftMs = heartbeatLeftMs(silentMs);
      expect(isStale(silentMs + leftMs)).toBe(true);
      expect(leftMs === 0).toBe(isStale(silentMs));
    }),
  );
});
