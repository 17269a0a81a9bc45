import type { Clock } from "../lib/clock.ts";
import { setNewest } from "../lib/set-newest.ts";
import { TokenBucket } from "../lib/token-bucket.ts";

const limits = { burst: 25, perSecond: 1 / 30 };
const mostObjects = 4_096;

/** How many different events one object may have: 25 at once and one more every 30 s. */
export class EventBudget {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Takes one from the object's budget; false when there is none left. */
  take(object: string): boolean {
    const bucket = this.#buckets.get(object) ?? new TokenBucket();
    // The oldest entry is the object that has been quiet longest.
    setNewest(this.#buckets, object, bucket, mostObjects);
    return bucket.take(limits, this.#clock.monotonicMs()) === 0;
  }
}
