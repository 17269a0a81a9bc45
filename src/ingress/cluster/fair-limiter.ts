import { unavailable } from "../../domain/deliveries/refusal.ts";
import type { Clock, Timer } from "../../lib/clock.ts";

export interface FairLimiterOptions {
  /** Maximum of concurrent work. */
  working: number;
  /** Maximum of waiting work in all lanes together. */
  waiting: number;
  /** Maximum of waiting work in one lane. */
  waitingInLane: number;
}

interface Waiter {
  begin: () => void;
  timer: Timer;
}

/**
 * Limits concurrent work, with a bounded queue in front. Free places go round robin to the lanes (one per Automation),
 * so that a lane with a long queue does not delay the others.
 */
export class FairLimiter {
  readonly #clock: Clock;
  readonly #options: FairLimiterOptions;
  readonly #lanes = new Map<string, Waiter[]>();
  #working = 0;
  #waiting = 0;

  constructor(clock: Clock, options: FairLimiterOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  get working(): number {
    return this.#working;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Runs the work within the limit. Rejects with a Refusal `Unavailable` when the queue is full or the deadline passes. */
  async run<T>(lane: string, deadlineMs: number, work: () => Promise<T>): Promise<T> {
    if (this.#working < this.#options.working) this.#working += 1;
    else await this.#wait(lane, deadlineMs);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** Waits in the lane; the place is handed over, so it is held once this resolves. */
  #wait(lane: string, deadlineMs: number): Promise<void> {
    const waiters = this.#lanes.get(lane) ?? [];
    const { waiting, waitingInLane } = this.#options;
    if (this.#waiting >= waiting || waiters.length >= waitingInLane) return Promise.reject(unavailable("queue-full"));
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#drop(lane, waiter);
        reject(unavailable("queue-timeout"));
      };
      const timer = this.#clock.setTimeout(giveUp, deadlineMs - this.#clock.monotonicMs());
      const waiter: Waiter = { begin: resolve, timer };
      waiters.push(waiter);
      this.#lanes.set(lane, waiters);
      this.#waiting += 1;
    });
  }

  #leave(): void {
    const [lane, waiters] = this.#lanes.entries().next().value ?? [];
    const next = waiters?.shift();
    if (lane === undefined || !waiters || !next) {
      this.#working -= 1;
      return;
    }
    // Moves the lane to the end of the round, or removes it.
    this.#lanes.delete(lane);
    if (waiters.length > 0) this.#lanes.set(lane, waiters);
    this.#waiting -= 1;
    next.timer.cancel();
    next.begin();
  }

  #drop(lane: string, waiter: Waiter): void {
    const waiters = this.#lanes.get(lane) ?? [];
    const at = waiters.indexOf(waiter);
    if (at < 0) return;
    waiters.splice(at, 1);
    this.#waiting -= 1;
    if (waiters.length === 0) this.#lanes.delete(lane);
  }
}
