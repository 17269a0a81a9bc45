import type { Clock } from "../../lib/clock.ts";

export interface FairRateLimits {
  /** Of all keys together at once, and in a second from then on. */
  burst: number;
  perSecond: number;
}

/** Below this weight a key has practically taken nothing. */
const leastWeight = 0.01;
/** How small the scale may become before all weights are written anew. */
const leastScale = 1e-6;

/**
 * A rate that keys share fairly, such as that of new connections by address: what a key took lately may be as much as is left of the
 * burst. So n keys that take all they can leave as much as each of them has, and the next key finds some at once.
 */
export class FairRate {
  readonly #limits: FairRateLimits;
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** What each key took lately, in units of the scale: all of it ages alike. */
  readonly #weights = new Map<string, number>();
  #scale = 1;
  #taken = 0;
  #agedMs: number;

  constructor(limits: FairRateLimits, clock: Pick<Clock, "monotonicMs">) {
    this.#limits = limits;
    this.#clock = clock;
    this.#agedMs = clock.monotonicMs();
  }

  /** Takes one; false where the key has its share. */
  take(key: string): boolean {
    this.#age();
    const own = (this.#weights.get(key) ?? 0) * this.#scale;
    if (own + 1 > this.#limits.burst - this.#taken) return false;
    this.#taken += 1;
    this.#weights.set(key, (own + 1) / this.#scale);
    return true;
  }

  /** Keys that are remembered. */
  get size(): number {
    return this.#weights.size;
  }

  #age(): void {
    const nowMs = this.#clock.monotonicMs();
    const before = this.#taken;
    this.#taken = Math.max(0, before - ((nowMs - this.#agedMs) / 1_000) * this.#limits.perSecond);
    this.#agedMs = nowMs;
    if (before > 0) this.#scale *= this.#taken / before;
    if (this.#scale < leastScale || this.#weights.size > 2 * this.#limits.burst) this.#writeAnew();
  }

  #writeAnew(): void {
    for (const [key, weight] of this.#weights) {
      const own = weight * this.#scale;
      if (own < leastWeight) this.#weights.delete(key);
      else this.#weights.set(key, own);
    }
    this.#scale = 1;
  }
}
