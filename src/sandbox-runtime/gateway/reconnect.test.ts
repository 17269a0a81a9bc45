import fc from "fast-check";
import { expect, it } from "vitest";
import { reconnectDelayMs } from "./reconnect.ts";

it.each([
  { failures: 0, random: 0, want: 0 },
  { failures: 0, random: 1, want: 2_000 },
  { failures: 1, random: 0, want: 125 },
  { failures: 1, random: 1, want: 250 },
  { failures: 6, random: 1, want: 8_000 },
  { failures: 7, random: 1, want: 10_000 },
  { failures: 7, random: 0, want: 5_000 },
])("waits $want ms after $failures failures with chance $random", ({ failures, random, want }) => {
  expect(reconnectDelayMs(failures, random)).toBe(want);
});

it("never waits longer than 10 s", () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
      const delayMs = reconnectDelayMs(failures, random);
      expect(delayMs).toBeGreaterThanOrEqual(0);
      expect(delayMs).toBeLessThanOrEqual(10_000);
    }),
  );
});
