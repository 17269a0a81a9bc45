import { Refusal } from "../domain/deliveries/refusal.ts";
import { TokenBucket } from "../lib/token-bucket.ts";
import type { WebhookAutomation } from "../domain/deliveries/delivery.ts";
import type { Clock } from "../lib/clock.ts";

interface Kept {
  bucket: TokenBucket;
  limits: WebhookAutomation["rateLimit"];
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

  /** Takes one token for a delivery. @throws Refusal `RateLimited` when there is none */
  take({ uid, rateLimit }: WebhookAutomation): void {
    const nowMs = this.#clock.monotonicMs();
    const waitMs = this.#bucketOf(uid, rateLimit, nowMs).take(rateLimit, nowMs);
    if (waitMs === 0) return;
    throw new Refusal({
      code: "RateLimited",
      message: `More than ${rateLimit.perSecond} deliveries a second after a burst of ${rateLimit.burst}`,
      retryAfterSeconds: Math.ceil(waitMs / 1_000),
    });
  }

  #bucketOf(uid: string, limits: WebhookAutomation["rateLimit"], nowMs: number): TokenBucket {
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
