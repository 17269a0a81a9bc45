import type { Clock } from "../../lib/clock.ts";

/** Maximum age of a value at its use, from the start of its read, in milliseconds. */
const longestAgeMs = 1_000;
/** Age at which the next read starts while the value is still used, so that callers under load do not wait. */
const refreshAgeMs = 500;
/** Values that were not used for this long are dropped, in milliseconds. */
const forgetAfterMs = 5_000;

interface Slot<T> {
  settled: { startedMs: number; value: T } | undefined;
  pending: { startedMs: number; value: Promise<T> } | undefined;
  usedMs: number;
}

/**
 * Caches values for 1 s from the start of their read, so that each has every change that was made before that. Callers
 * of one key share one read; failed reads are not cached.
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

  /** Number of cached keys. */
  get size(): number {
    return this.#slots.size;
  }

  read(key: string): T | Promise<T> {
    const nowMs = this.#clock.monotonicMs();
    const slot = this.#slots.get(key) ?? { settled: undefined, pending: undefined, usedMs: nowMs };
    slot.usedMs = nowMs;
    const { settled, pending } = slot;
    if (settled && nowMs - settled.startedMs <= longestAgeMs) {
      // Callers that wait for this read get its failure.
      if (!pending && nowMs - settled.startedMs > refreshAgeMs) this.#start(key, slot, nowMs).catch(() => undefined);
      return settled.value;
    }
    // A read that hangs must not serve callers that came long after its start: a change may lie between.
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
