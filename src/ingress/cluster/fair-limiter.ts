import { unavailable } from "../../domain/deliveries/refusal.ts";
import type { Clock, Timer } from "../../lib/clock.ts";
import { Turns } from "../../lib/turns.ts";

export interface FairLimiterOptions {
  /** Maximum of concurrent work. */
  working: number;
  /** Maximum of concurrent work of one lane, so that places are free for what others bring. */
  workingInLane: number;
  /** Maximum of waiting work in all; a namespace may have as much of it as is free. */
  waiting: number;
  /** Maximum of waiting work in one lane. */
  waitingInLane: number;
}

/** For whom work is done: namespaces take turns, and within each its lanes, such as Automations. */
export interface Lane {
  namespace: string;
  uid: string;
}

interface Waiter {
  uid: string;
  begin: () => void;
  timer: Timer;
}

/**
 * Limits concurrent work, in all and for each lane, with a bounded queue in front. Free places go round robin to the namespaces,
 * and within each to its lanes that are below their limit, so that no long queue delays the others.
 */
export class FairLimiter {
  readonly #clock: Clock;
  readonly #options: FairLimiterOptions;
  readonly #namespaces = new Map<string, Turns<Waiter>>();
  /** Work under way, by lane. */
  readonly #lanes = new Map<string, number>();
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

  /** Runs the work within the limits. Rejects with a Refusal `Unavailable` when the queue is full or the deadline passes. */
  async run<T>(lane: Lane, deadlineMs: number, work: () => Promise<T>): Promise<T> {
    if (this.#mayBegin(lane.uid)) this.#enter(lane.uid);
    else await this.#wait(lane, deadlineMs);
    try {
      return await work();
    } finally {
      this.#leave(lane.uid);
    }
  }

  /** Whether there is a place; all that wait are of lanes at their limit then, so that nothing is overtaken. */
  #mayBegin(uid: string): boolean {
    return this.#working < this.#options.working && this.#workingOf(uid) < this.#options.workingInLane;
  }

  #workingOf(uid: string): number {
    return this.#lanes.get(uid) ?? 0;
  }

  #enter(uid: string): void {
    this.#working += 1;
    this.#lanes.set(uid, this.#workingOf(uid) + 1);
  }

  /** Waits in the lane; the place is taken for it, so it is held once this resolves. */
  #wait({ namespace, uid }: Lane, deadlineMs: number): Promise<void> {
    const waiters = this.#namespaces.get(namespace) ?? new Turns<Waiter>();
    const { waiting, waitingInLane } = this.#options;
    const isFull = waiters.size >= waiting - this.#waiting || waiters.sizeOf(uid) >= waitingInLane;
    if (isFull) return Promise.reject(unavailable("queue-full"));
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        if (waiters.delete(uid, waiter)) this.#left(namespace, waiters);
        reject(unavailable("queue-timeout"));
      };
      const timer = this.#clock.setTimeout(giveUp, deadlineMs - this.#clock.monotonicMs());
      const waiter: Waiter = { uid, begin: resolve, timer };
      waiters.add(uid, waiter);
      this.#namespaces.set(namespace, waiters);
      this.#waiting += 1;
    });
  }

  /** Frees a place. At most one that waits can begin with it: the next of all, or of this lane where others are at their limit. */
  #leave(uid: string): void {
    this.#working -= 1;
    const left = this.#workingOf(uid) - 1;
    if (left > 0) this.#lanes.set(uid, left);
    else this.#lanes.delete(uid);
    const next = this.#takeNext();
    if (!next) return;
    this.#enter(next.uid);
    next.timer.cancel();
    next.begin();
  }

  #takeNext(): Waiter | undefined {
    for (const [namespace, waiters] of this.#namespaces) {
      const next = waiters.take((uid) => this.#mayBegin(uid));
      if (!next) continue;
      // The namespace comes after all others now.
      this.#namespaces.delete(namespace);
      this.#namespaces.set(namespace, waiters);
      this.#left(namespace, waiters);
      return next;
    }
    return undefined;
  }

  #left(namespace: string, waiters: Turns<Waiter>): void {
    this.#waiting -= 1;
    if (waiters.size === 0) this.#namespaces.delete(namespace);
  }
}
