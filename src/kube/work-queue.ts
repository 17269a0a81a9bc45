import type { Clock, Timer } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import { Turns } from "../lib/turns.ts";
import { backoffMs, type BackoffLimits } from "./backoff.ts";

export interface WorkQueueOptions {
  clock: Clock;
  random: Pick<Random, "fraction">;
  backoff: BackoffLimits;
  /** Keys of the same group are never out at the same time. By default each key is a group of its own. */
  groupOf?: ((key: string) => string) | undefined;
  /** Sharers of the queue, such as namespaces, take turns; a group belongs to one. By default there is one. */
  sharerOf?: ((key: string) => string) | undefined;
  /** How many keys may be out at once; a sharer may have as many as are left, so that the next one finds some. By default no limit. */
  places?: number | undefined;
  /** Called when there may be something to take. */
  onReady: () => void;
}

interface Timed {
  dueMs: number;
  timer: Timer;
}

/**
 * Keys that need work. A key is out with one worker at most; added again meanwhile, it comes back once when that worker
 * is done. Added twice while it waits, it still waits once.
 *
 * ```
 *   addAfter, retry ──timer──▶ add ──▶ waiting ──take──▶ out ──done──▶ (gone)
 *                                         ▲                │
 *                                         └── added again ─┘
 * ```
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  /** Since when each key waits, in monotonic milliseconds. */
  readonly #waiting = new Map<string, number>();
  readonly #lines = new Map<string, string[]>();
  /** Groups that have a key waiting and none out; oldest first, sharers in turn. */
  readonly #ready = new Turns<string>();
  readonly #out = new Map<string, string>();
  /** How many keys of each sharer are out. */
  readonly #outOf = new Map<string, number>();
  readonly #busy = new Set<string>();
  readonly #again = new Set<string>();
  readonly #timed = new Map<string, Timed>();
  readonly #failures = new Map<string, number>();
  #isClosed = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Keys that wait to be taken; not those with a timer. */
  get length(): number {
    return this.#waiting.size;
  }

  isOut(key: string): boolean {
    return this.#out.has(key);
  }

  add(key: string): void {
    if (this.#isClosed || this.#waiting.has(key)) return;
    if (this.#out.has(key)) {
      this.#again.add(key);
      return;
    }
    const group = this.#options.groupOf?.(key) ?? key;
    this.#waiting.set(key, this.#options.clock.monotonicMs());
    const line = this.#lines.get(group);
    if (line) line.push(key);
    else this.#lines.set(group, [key]);
    if (!this.#busy.has(group)) this.#setReady(group, key);
    this.#options.onReady();
  }

  /** Adds the key after a delay, unless that is due earlier already. */
  addAfter(key: string, delayMs: number): void {
    if (this.#isClosed) return;
    const { clock } = this.#options;
    const dueMs = clock.monotonicMs() + delayMs;
    const pending = this.#timed.get(key);
    if (pending && pending.dueMs <= dueMs) return;
    pending?.timer.cancel();
    const timer = clock.setTimeout(() => {
      this.#timed.delete(key);
      this.add(key);
    }, delayMs);
    this.#timed.set(key, { dueMs, timer });
  }

  /** Adds the key after a backoff that grows with each call until {@link forget}, and not before `atLeastMs`. */
  retry(key: string, atLeastMs = 0): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.addAfter(key, Math.max(atLeastMs, backoffMs(failures, this.#options.backoff, this.#options.random)));
  }

  /** The key succeeded: its next failure is its first. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** Of the sharer whose turn it is the key that waited longest among the groups that are free, and for how long; its timer is cancelled. */
  take(): { key: string; waitedMs: number } | undefined {
    const { places = Infinity } = this.#options;
    const free = places - this.#out.size;
    const group = this.#ready.take((sharer) => (this.#outOf.get(sharer) ?? 0) < free);
    const key = group === undefined ? undefined : this.#lines.get(group)?.shift();
    if (group === undefined || key === undefined) return undefined;
    if (this.#lines.get(group)?.length === 0) this.#lines.delete(group);
    this.#busy.add(group);
    this.#out.set(key, group);
    this.#changeOut(key, 1);
    const sinceMs = this.#waiting.get(key) ?? 0;
    this.#waiting.delete(key);
    this.#timed.get(key)?.timer.cancel();
    this.#timed.delete(key);
    return { key, waitedMs: this.#options.clock.monotonicMs() - sinceMs };
  }

  /** Hands a taken key back. */
  done(key: string): void {
    const group = this.#out.get(key);
    if (group === undefined) return;
    this.#out.delete(key);
    this.#changeOut(key, -1);
    this.#busy.delete(group);
    if (this.#lines.has(group)) this.#setReady(group, key);
    if (this.#again.delete(key)) this.add(key);
    if (this.#ready.size > 0) this.#options.onReady();
  }

  #setReady(group: string, key: string): void {
    this.#ready.add(this.#sharerOf(key), group);
  }

  #changeOut(key: string, by: 1 | -1): void {
    const sharer = this.#sharerOf(key);
    const count = (this.#outOf.get(sharer) ?? 0) + by;
    if (count === 0) this.#outOf.delete(sharer);
    else this.#outOf.set(sharer, count);
  }

  #sharerOf(key: string): string {
    return this.#options.sharerOf?.(key) ?? "";
  }

  /** Drops what waits and every timer, and takes in nothing more. */
  close(): void {
    this.#isClosed = true;
    for (const { timer } of this.#timed.values()) timer.cancel();
    for (const pending of [this.#timed, this.#waiting, this.#lines, this.#ready, this.#again]) pending.clear();
  }
}
