import { type Clock, systemClock, type Timer } from "../../src/lib/clock.ts";

interface Pending {
  delayMs: number;
  run: () => void;
  timer: Timer;
}

/** The machine's time, with a count of the timers that one process has set. */
export class CountingClock implements Clock {
  readonly #pending = new Set<Pending>();

  now(): Date {
    return systemClock.now();
  }

  monotonicMs(): number {
    return systemClock.monotonicMs();
  }

  setTimeout(run: () => void, delayMs: number): Timer {
    const ring = (): void => {
      this.#pending.delete(pending);
      run();
    };
    const pending: Pending = { delayMs, run: ring, timer: systemClock.setTimeout(ring, delayMs) };
    this.#pending.add(pending);
    return {
      cancel: () => {
        pending.timer.cancel();
        this.#pending.delete(pending);
      },
    };
  }

  /** Timers that are set, all or those of at least so many milliseconds. */
  pending(shortestMs = 0): number {
    return this.#of(shortestMs).length;
  }

  /** Has the time of timers come whose delays are from `shortestMs` up to, but not including, `endMs`. */
  ring(shortestMs: number, endMs = Infinity): void {
    for (const { timer, run } of this.#of(shortestMs, endMs)) {
      timer.cancel();
      run();
    }
  }

  #of(shortestMs: number, endMs = Infinity): Pending[] {
    return [...this.#pending].filter(({ delayMs }) => delayMs >= shortestMs && delayMs < endMs);
  }
}
