import { expect, it } from "vitest";
import { backoffMs } from "./backoff.ts";

const limits = { baseMs: 100, maxMs: 1_000 };

it.each([
  { failures: 1, random: 1, wantMs: 100 },
  { failures: 1, random: 0, wantMs: 50 },
  { failures: 2, random: 1, wantMs: 200 },
  { failures: 4, random: 1, wantMs: 800 },
  { failures: 5, random: 1, wantMs: 1_000 },
  { failures: 5_000, random: 0, wantMs: 500 },
])("waits $wantMs ms after failure $failures at chance $random", ({ failures, random, wantMs }) => {
  expect(backoffMs(failures, limits, { fraction: () => random })).toBe(wantMs);
});
