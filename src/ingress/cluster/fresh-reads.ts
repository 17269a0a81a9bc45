import type { Clock } from "../../lib/clock.ts";

/** How old, by the start of its read, a value may be when it is used. */
const longestAgeMs = 1_000;
/** Past this age the next read is begun while the value is still good, so that under load nobody waits for one. */
const refreshAgeMs = 500;
/** Values that nobody asked for during this long are dropped. */
const forgetAfterMs = 5_000;

interface Slot<T> {
  settled: { startedMs: number; value: T } | undefined;
  pending: { startedMs: number; value: Promise<T> } | undefined;
  usedMs: number;
}

/**
 * Values that are at most 1 s old, counted from the instant at which their read began: what was changed before that is
 * in them. All who ask for one key share one read; failed reads are not kept.
 */
export class FreshReads<T> {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #load: (key: string, startedMs: number) => Promise<T>;
  /** In the order of their last read. */
  readonly #slots = new Map<string, Slot<T>>();

  constructor(clock: Pick<Clock, "monotonicMs">, load: (key: string, startedMs: number) => Promise<T>) {
    this.#clock = clock;
    this.#load = load;
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#slots.size;
  }

  read(key: string): T | Promise<T> {
    const nowMs = this.#clock.monotonicMs();
    const slot = this.#slots.get(key) ?? { settled: undefined, pending: undefined, usedMs: nowMs };
    slot.usedMs = nowMs;
    const { settled, pending } = slot;
    if (settled && nowMs - settled.startedMs <= longestAgeMs) {
      // Its failure is for those who wait for it, if any come.
      if (!pending && nowMs - settled.startedMs > refreshAgeMs) this.#start(key, slot, nowMs).catch(() => undefined);
      return settled.value;
    }
    // A read that hangs must not hold those who came long after it began: it may have looked before the change.
    if (pending && nowMs - pending.startedMs <= longestAgeMs) return pending.value;
    return this.#start(key, slot, nowMs);
  }

  #start(key: string, slot: Slot<T>, startedMs: number): Promise<T> {
    this.#slots.delete(key);
    this.#slots.set(key, slot);
    this.#forgetOld(startedMs);
    const value = this.#load(key, startedMs);
    const pending = { startedMs, value };
    slot.pending = pending;
    const settle = (): void => {
      if (slot.pending === pending) slot.pending = undefined;
    };
    value.then((read) => {
      settle();
      if (!slot.settled || slot.settled.startedMs < startedMs) slot.settled = { startedMs, value: read };
    }, settle);
    return value;
  }

  #forgetOld(nowMs: number): void {
    for (const [key, { usedMs, pending }] of this.#slots) {
      if (pending || nowMs - usedMs <= forgetAfterMs) return;
      this.#slots.delete(key);
    }
  }
}
