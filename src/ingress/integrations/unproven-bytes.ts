import type { Clock } from "../../lib/clock.ts";

export interface UnprovenLimits {
  /** Bytes that are read at once, and in a second from then on. */
  burst: number;
  perSecond: number;
}

/** 32 MiB, and 8 MiB a second: one body of the longest kind at once, and little of a core for a flood of them. */
const usualLimits: UnprovenLimits = { burst: 33_554_432, perSecond: 8_388_608 };
/** Number of new keys after which those that owe nothing are dropped. */
const tidyEvery = 256;

interface Debt {
  bytes: number;
  atMs: number;
}

/**
 * How fast one replica reads bytes that nobody has proven to be the sender's, by key, such as the UID of an Integration. Bytes may be taken
 * beyond the limit; whoever took them waits until they are paid.
 */
export class UnprovenBytes {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #limits: UnprovenLimits;
  readonly #debts = new Map<string, Debt>();
  #untilTidy = tidyEvery;

  constructor(clock: Pick<Clock, "monotonicMs">, limits = usualLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Takes bytes; gives the milliseconds after which the next may be read. */
  take(key: string, bytes: number): number {
    this.#tidy();
    const { perSecond, burst } = this.#limits;
    const owed = this.#owed(key) + bytes;
    this.#debts.set(key, { bytes: owed, atMs: this.#clock.monotonicMs() });
    return (Math.max(0, owed - burst) / perSecond) * 1_000;
  }

  /** Gives bytes back that were proven to be the sender's. */
  giveBack(key: string, bytes: number): void {
    this.#debts.set(key, { bytes: Math.max(0, this.#owed(key) - bytes), atMs: this.#clock.monotonicMs() });
  }

  /** Keys that are remembered. */
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
