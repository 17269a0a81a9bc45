export interface BucketLimits {
  /** Tokens that come back in a second, above 0. */
  perSecond: number;
  /** Tokens of a full bucket, at least 1. */
  burst: number;
}

/** A token bucket over monotonic milliseconds; its limits may change from one call to the next. */
export class TokenBucket {
  #tokens: number | undefined;
  #filledMs = 0;

  /** Takes a token and returns 0, or takes none and returns the milliseconds until there is one. */
  take({ perSecond, burst }: BucketLimits, nowMs: number): number {
    const grown = ((nowMs - this.#filledMs) / 1_000) * perSecond;
    const tokens = Math.min(burst, (this.#tokens ?? burst) + grown);
    if (tokens < 1) return ((1 - tokens) / perSecond) * 1_000;
    this.#filledMs = nowMs;
    this.#tokens = tokens - 1;
    return 0;
  }

  /** Puts back a token that was taken and not used. */
  giveBack(): void {
    if (this.#tokens !== undefined) this.#tokens += 1;
  }

  /** Whether it must be full again at these limits, so that forgetting it changes nothing. */
  isIdle({ perSecond, burst }: BucketLimits, nowMs: number): boolean {
    return ((nowMs - this.#filledMs) / 1_000) * perSecond >= burst;
  }
}
