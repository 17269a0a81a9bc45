import type { ProviderError } from "./provider-error.ts";

/** Milliseconds after each failed try; the fifth failure is the last. They reach beyond an outage of 10 minutes. */
const pausesMs = [10_000, 60_000, 300_000, 900_000];

/** Tries of one call, at most. */
export const mostTries = pausesMs.length + 1;

/** When a call is tried again that failed so many times before and now with this; undefined where it is given up. */
export function nextTryAfter(
  failedBefore: number,
  { failure, retryAfterMs }: ProviderError,
  now: Date,
): string | undefined {
  const pauseMs = pausesMs[failedBefore];
  if (pauseMs === undefined || failure === "refused") return undefined;
  // The first time a provider says how long to wait, that is believed; later it is waited for longer.
  const isAsked = failure === "throttled" && retryAfterMs !== undefined && failedBefore === 0;
  const waitMs = isAsked ? retryAfterMs : Math.max(pauseMs, retryAfterMs ?? 0);
  return new Date(now.getTime() + waitMs).toISOString();
}
