import { type BucketLimits, TokenBucket } from "../lib/token-bucket.ts";
import type { Clock } from "../lib/clock.ts";

interface Kept {
  bucket: TokenBucket;
  limits: BucketLimits;
}

/** Number of new buckets after which idle ones are dropped. */
const tidyEvery = 256;

/** One token bucket per Automation, in this replica. Only requests with the right key reach it, which bounds their number. */
export class RateLimits {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #kept = new Map<string, Kept>();
  #untilTidy = tidyEvery;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Takes a token of the Automation and returns 0, or takes none and returns the seconds until there is one. */
  take(automationUid: string, limits: BucketLimits): number {
    const nowMs = this.#clock.monotonicMs();
    return Math.ceil(this.#bucketOf(automationUid, limits, nowMs).take(limits, nowMs) / 1_000);
  }

  /** Puts back a token that was taken and not used. */
  giveBack(automationUid: string): void {
    this.#kept.get(automationUid)?.bucket.giveBack();
  }

  #bucketOf(uid: string, limits: BucketLimits, nowMs: number): TokenBucket {
    const kept = this.#kept.get(uid);
    if (kept) {
      kept.limits = limits;
      return kept.bucket;
    }
    this.#tidy(nowMs);
    const bucket = new TokenBucket();
    this.#kept.set(uid, { bucket, limits });
    return bucket;
  }

  #tidy(nowMs: number): void {
    this.#untilTidy -= 1;
    if (this.#untilTidy > 0) return;
    this.#untilTidy = tidyEvery;
    for (const [uid, { bucket, limits }] of this.#kept) {
      if (bucket.isIdle(limits, nowMs)) this.#kept.delete(uid);
    }
  }
}
