import type { Clock, Timer } from "../../src/lib/clock.ts";

interface Pending {
  dueMs: number;
  run: () => void;
}

/** The clock of one process: time passes for all of them alike, but the timers of a stopped one wait until it goes on. */
export class ProcessClock implements Clock {
  readonly #nowMs: () => number;
  readonly #skewMs: number;
  readonly #pending = new Set<Pending>();
  isStopped = false;

  constructor(nowMs: () => number, skewMs: number) {
    this.#nowMs = nowMs;
    this.#skewMs = skewMs;
  }

  now = (): Date => new Date(Date.parse("2026-05-04T10:00:00Z") + this.#skewMs + this.#nowMs());
  monotonicMs = (): number => this.#nowMs() + Math.abs(this.#skewMs);

  setTimeout(run: () => void, delayMs: number): Timer {
    const pending = { dueMs: this.#nowMs() + delayMs, run };
    this.#pending.add(pending);
    return { cancel: () => void this.#pending.delete(pending) };
  }

  /** Runs the timers that are due, in order. */
  tick(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      this.#pending.delete(next);
      next.run();
    }
  }

  #next(): Pending | undefined {
    if (this.isStopped) return undefined;
    const due = [...this.#pending].filter(({ dueMs }) => dueMs <= this.#nowMs());
    return due.sort((one, other) => one.dueMs - other.dueMs)[0];
  }
}
