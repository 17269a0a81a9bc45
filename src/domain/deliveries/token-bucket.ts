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

  /** Takes a token and says 0, or takes none and says for how many milliseconds there will be none. */
  take({ perSecond, burst }: BucketLimits, nowMs: number): number {
    const grown = ((nowMs - this.#filledMs) / 1_000) * perSecond;
    const tokens = Math.min(burst, (this.#tokens ?? burst) + grown);
    this.#filledMs = nowMs;
    this.#tokens = tokens >= 1 ? tokens - 1 : tokens;
    return tokens >= 1 ? 0 : ((1 - tokens) / perSecond) * 1_000;
  }

  /** Not used for so long that it is full at any limits in use, so that forgetting it changes nothing. */
  isIdle({ perSecond, burst }: BucketLimits, nowMs: number): boolean {
    return ((nowMs - this.#filledMs) / 1_000) * perSecond >= burst;
  }
}
