import type { Clock } from "../lib/clock.ts";

const burst = 25;
const refillMs = 30_000;
const mostObjects = 4_096;

interface Bucket {
  tokens: number;
  atMs: number;
}

/** How many different events one object may have: 25 at once and one more every 30 s. */
export class EventBudget {
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes one from the object's budget; false when there is none left. */
  take(object: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    const { tokens, atMs } = this.#buckets.get(object) ?? { tokens: burst, atMs: nowMs };
    const available = Math.min(burst, tokens + (nowMs - atMs) / refillMs);
    const isAllowed = available >= 1;
    // Back at the end: whoever is forgotten first has been quiet longest.
    this.#buckets.delete(object);
    this.#buckets.set(object, { tokens: isAllowed ? available - 1 : available, atMs: nowMs });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > mostObjects && oldest !== undefined) this.#buckets.delete(oldest);
    return isAllowed;
  }
}
