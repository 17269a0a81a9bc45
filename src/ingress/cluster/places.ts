import { unavailable } from "../../domain/deliveries/refusal.ts";
import type { Clock, Timer } from "../../lib/clock.ts";

export interface PlacesOptions {
  /** Who may work at once. */
  working: number;
  /** Who may wait, all lanes together. */
  waiting: number;
  /** Who may wait in one lane. */
  waitingInLane: number;
}

interface Waiter {
  begin: () => void;
  timer: Timer;
}

/**
 * A bounded number of places to work in, and a short queue before them. Free places go to the lanes (one for each
 * Automation) in turn, so a lane with many waiters does not keep another waiting for more than one of its own.
 */
export class Places {
  readonly #clock: Clock;
  readonly #options: PlacesOptions;
  readonly #lanes = new Map<string, Waiter[]>();
  #working = 0;
  #waiting = 0;

  constructor(clock: Clock, options: PlacesOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  get working(): number {
    return this.#working;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Does the work in a place; rejects with a Refusal `Unavailable` when none is free by the deadline or ever. */
  async use<T>(lane: string, deadlineMs: number, work: () => Promise<T>): Promise<T> {
    if (this.#working < this.#options.working) this.#working += 1;
    else await this.#wait(lane, deadlineMs);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** The place is handed over: who waited has it when this resolves. */
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
    // To the back of the round, or out of it.
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
