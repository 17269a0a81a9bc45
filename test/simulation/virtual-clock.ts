import type { Clock, Timer } from "../../src/lib/clock.ts";

interface Pending {
  dueMs: number;
  order: number;
  run: () => void;
}

/** Time of a whole simulation: it moves from one timer to the next, and only when it is told to. */
export class VirtualClock implements Clock {
  readonly #startMs: number;
  /** The next timer is the last one. */
  readonly #pending: Pending[] = [];
  #elapsedMs = 0;
  #order = 0;

  constructor(start: string) {
    this.#startMs = Date.parse(start);
  }

  now(): Date {
    return new Date(this.#startMs + this.#elapsedMs);
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  setTimeout(run: () => void, delayMs: number): Timer {
    this.#order += 1;
    const pending = { dueMs: this.#elapsedMs + Math.max(Math.ceil(delayMs), 0), order: this.#order, run };
    this.#pending.splice(this.#placeOf(pending), 0, pending);
    return { cancel: () => this.#drop(pending) };
  }

  /** Milliseconds until the next timer; undefined: there is none. */
  nextInMs(): number | undefined {
    const next = this.#pending.at(-1);
    return next && Math.max(0, next.dueMs - this.#elapsedMs);
  }

  /** Moves on by `ms`, or to the next timer where that comes first, which it then runs. */
  advance(ms: number): void {
    const next = this.#pending.at(-1);
    if (next && next.dueMs <= this.#elapsedMs + ms) {
      this.#pending.pop();
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
      next.run();
    } else this.#elapsedMs += ms;
  }

  #drop(pending: Pending): void {
    const place = this.#placeOf(pending) - 1;
    if (this.#pending[place] === pending) this.#pending.splice(place, 1);
  }

  /** The place after all timers that are due later, and after itself. */
  #placeOf({ dueMs, order }: Pending): number {
    let [low, high] = [0, this.#pending.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#pending[middle]!;
      if (other.dueMs > dueMs || (other.dueMs === dueMs && other.order >= order)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The clock of one process: its timers end with it, wait while it is paused, and its wall clock may be wrong. */
export class ProcessClock implements Clock {
  readonly #world: Clock;
  readonly #held: (() => void)[] = [];
  #skewMs = 0;
  #state: "running" | "paused" | "dead" = "running";

  constructor(world: Clock) {
    this.#world = world;
  }

  now(): Date {
    return new Date(this.#world.now().getTime() + this.#skewMs);
  }

  monotonicMs(): number {
    return this.#world.monotonicMs();
  }

  setTimeout(run: () => void, delayMs: number): Timer {
    let isCancelled = false;
    const timer = this.#world.setTimeout(() => this.inTurn(() => isCancelled || run()), delayMs);
    return {
      cancel: () => {
        isCancelled = true;
        timer.cancel();
      },
    };
  }

  /** Runs something in the process: now, once it goes on, or never where it has died. */
  inTurn(run: () => void): void {
    if (this.#state === "running") run();
    else if (this.#state === "paused") this.#held.push(run);
  }

  get isDead(): boolean {
    return this.#state === "dead";
  }

  get isPaused(): boolean {
    return this.#state === "paused";
  }

  /** Sets the wall clock, and no timer. */
  jump(ms: number): void {
    this.#skewMs += ms;
  }

  pause(): void {
    if (this.#state === "running") this.#state = "paused";
  }

  goOn(): void {
    if (this.#state !== "paused") return;
    this.#state = "running";
    for (const run of this.#held.splice(0)) run();
  }

  die(): void {
    this.#state = "dead";
    this.#held.length = 0;
  }
}
