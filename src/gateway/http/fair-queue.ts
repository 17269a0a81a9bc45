import { Turns } from "../../lib/turns.ts";

export interface FairQueueLimits {
  /** Work that goes on at once, of which one sharer has as much as it leaves free. */
  working: number;
  /** Work of one sharer that waits. */
  waitingOfOne: number;
  /** Counts what finds its sharer's part of those that wait taken. */
  refused?: (() => void) | undefined;
}

/** How one piece of work is asked for. */
export interface Queued {
  /** Such as a namespace. */
  sharer: string;
  /** Ends the wait; left out where others wait for the same. */
  signal?: AbortSignal | undefined;
  busy: () => Error;
}

/** Work that waits for a place, of sharers that take turns: many of one keep none of another waiting. */
export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #waiting = new Turns<() => void>();
  readonly #ofSharer = new Map<string, number>();
  #working = 0;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  /** Does the work in its turn. @throws `busy()` where too much of the sharer waits, the signal's reason where that came first */
  async run<T>({ sharer, signal, busy }: Queued, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.sizeOf(sharer) >= this.#limits.waitingOfOne) {
      this.#limits.refused?.();
      throw busy();
    }
    await this.#turn(sharer);
    try {
      signal?.throwIfAborted();
      return await work();
    } finally {
      this.#change(sharer, -1);
      this.#next();
    }
  }

  #turn(sharer: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#waiting.add(sharer, () => {
      this.#change(sharer, 1);
      resolve(undefined);
    });
    this.#next();
    return promise;
  }

  #next(): void {
    const isFree = (sharer: string): boolean =>
      (this.#ofSharer.get(sharer) ?? 0) < this.#limits.working - this.#working;
    for (let begin = this.#waiting.take(isFree); begin; begin = this.#waiting.take(isFree)) begin();
  }

  #change(sharer: string, by: 1 | -1): void {
    this.#working += by;
    const own = (this.#ofSharer.get(sharer) ?? 0) + by;
    if (own === 0) this.#ofSharer.delete(sharer);
    else this.#ofSharer.set(sharer, own);
  }
}
