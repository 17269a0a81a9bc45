import type { Clock } from "./clock.ts";
import { sleep } from "./sleep.ts";
import type { BucketLimits } from "./token-bucket.ts";

/** Number of calls after which keys that owe nothing are dropped. */
const tidyEvery = 256;

interface Debt {
  bytes: number;
  atMs: number;
}

/**
 * Limits how fast one replica reads bytes, by key, such as a namespace. A reader may go over the limit with one piece, and then waits
 * before it reads the next.
 */
export class BytePace {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #limits: BucketLimits;
  readonly #debts = new Map<string, Debt>();
  #untilTidy = tidyEvery;

  constructor(clock: Pick<Clock, "monotonicMs">, limits: BucketLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Counts bytes that were read; gives the milliseconds to wait before the next ones. */
  take(key: string, bytes: number): number {
    this.#tidy();
    const { perSecond, burst } = this.#limits;
    const owed = this.#owed(key) + bytes;
    this.#debts.set(key, { bytes: owed, atMs: this.#clock.monotonicMs() });
    return (Math.max(0, owed - burst) / perSecond) * 1_000;
  }

  /** Gives bytes back that are not to count. */
  giveBack(key: string, bytes: number): void {
    this.#debts.set(key, { bytes: Math.max(0, this.#owed(key) - bytes), atMs: this.#clock.monotonicMs() });
  }

  /** Number of keys that are kept. */
  get size(): number {
    return this.#debts.size;
  }

  #owed(key: string): number {
    const debt = this.#debts.get(key);
    if (debt === undefined) return 0;
    const paid = ((this.#clock.monotonicMs() - debt.atMs) / 1_000) * this.#limits.perSecond;
    return Math.max(0, debt.bytes - paid);
  }

  #tidy(): void {
    this.#untilTidy -= 1;
    if (this.#untilTidy > 0) return;
    this.#untilTidy = tidyEvery;
    for (const key of this.#debts.keys()) {
      if (this.#owed(key) === 0) this.#debts.delete(key);
    }
  }
}

/** For a body's reader: waits after each piece for as long as the pace says. */
export function atPace(
  pace: Pick<BytePace, "take">,
  { key, clock }: { key: string; clock: Pick<Clock, "setTimeout"> },
): (piece: Buffer) => Promise<void> | undefined {
  return (piece) => {
    const waitMs = pace.take(key, piece.length);
    return waitMs === 0 ? undefined : sleep(clock, waitMs);
  };
}
