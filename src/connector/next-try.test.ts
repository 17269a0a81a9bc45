import { expect, it } from "vitest";

import { mostTries, nextTryAfter } from "./next-try.ts";
import { ProviderError, type ProviderFailure } from "./provider-error.ts";

const now = new Date("2026-05-04T10:00:00.000Z");

/** Milliseconds until the next try; undefined where there is none. */
function waitMs(failedBefore: number, failure: ProviderFailure, retryAfterMs?: number): number | undefined {
  const time = nextTryAfter(failedBefore, new ProviderError(failure, "planted", { retryAfterMs }), now);
  return time === undefined ? undefined : Date.parse(time) - now.getTime();
}

it.each<{ failedBefore: number; failure: ProviderFailure; asked?: number; want: number | undefined }>([
  { failedBefore: 0, failure: "throttled", asked: 2_000, want: 2_000 },
  { failedBefore: 0, failure: "throttled", asked: 11_000, want: 11_000 },
  { failedBefore: 0, failure: "throttled", want: 10_000 },
  { failedBefore: 1, failure: "throttled", asked: 2_000, want: 60_000 },
  { failedBefore: 1, failure: "throttled", asked: 61_000, want: 61_000 },
  { failedBefore: 0, failure: "unavailable", asked: 2_000, want: 10_000 },
  { failedBefore: 3, failure: "unavailable", want: 900_000 },
  { failedBefore: 4, failure: "throttled", asked: 2_000, want: undefined },
  { failedBefore: 0, failure: "refused", want: undefined },
])(
  "after $failedBefore failures and then $failure, asked for $asked ms: $want",
  ({ failedBefore, failure, asked, want }) => {
    expect(waitMs(failedBefore, failure, asked)).toBe(want);
  },
);

it("5 tries are made", () => {
  expect(mostTries).toBe(5);
});
