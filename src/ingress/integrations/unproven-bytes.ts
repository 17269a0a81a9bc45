import type { Clock } from "../../lib/clock.ts";
import type { BucketLimits } from "../../lib/token-bucket.ts";

/** Bytes: 32 MiB at once, which is more than the longest body has, and 8 MiB a second, which cost little of a core. */
const usualLimits: BucketLimits = { burst: 33_554_432, perSecond: 8_388_608 };
/** Number of calls after which keys that owe nothing are dropped. */
const tidyEvery = 256;

interface Debt {
  bytes: number;
  atMs: number;
}

/**
 * Limits how fast one replica reads bytes whose signature it has not checked yet, by key, such as the UID of an Integration. A reader may
 * go over the limit with one piece, and then waits before it reads the next.
 */
export class UnprovenBytes {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #limits: BucketLimits;
  readonly #debts = new Map<string, Debt>();
  #untilTidy = tidyEvery;

  constructor(clock: Pick<Clock, "monotonicMs">, limits = usualLimits) {
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

  /** Gives bytes back whose signature was right. */
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
