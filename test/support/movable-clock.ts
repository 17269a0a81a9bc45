import { systemClock, type Clock, type Timer } from "../../src/lib/clock.ts";

interface Pending {
  dueMs: number;
  run: () => void;
  timer: Timer | undefined;
}

/** The machine's clock, but a test may move its monotonic time forward, or stop it; timers go by that time. */
export class MovableClock implements Clock {
  readonly #pending = new Set<Pending>();
  #aheadMs = 0;
  #stoppedAtMs: number | undefined;

  now = (): Date => systemClock.now();
  monotonicMs = (): number => this.#stoppedAtMs ?? systemClock.monotonicMs() + this.#aheadMs;
  setTimeout: Clock["setTimeout"] = (run, delayMs) => {
    const pending: Pending = { dueMs: this.monotonicMs() + Math.max(delayMs, 0), run, timer: undefined };
    this.#pending.add(pending);
    this.#arm(pending);
    return { cancel: () => this.#drop(pending) };
  };

  /** Moves time forward; timers that are due then run in order, each at the end of the move. */
  move(ms: number): void {
    if (this.#stoppedAtMs === undefined) this.#aheadMs += ms;
    else this.#stoppedAtMs += ms;
    const due = [...this.#pending].filter(({ dueMs }) => dueMs <= this.monotonicMs());
    for (const pending of due.sort((one, other) => one.dueMs - other.dueMs)) this.#fire(pending);
  }

  /** Time stands still from now on, but for moves, so that no deadline passes, however slow the machine is. */
  stop(): void {
    // Whole, so that sums of moves are exact.
    this.#stoppedAtMs = Math.ceil(this.monotonicMs());
    for (const pending of this.#pending) pending.timer?.cancel();
  }

  /** Time goes on from where it stood. */
  run(): void {
    this.#aheadMs = this.monotonicMs() - systemClock.monotonicMs();
    this.#stoppedAtMs = undefined;
    for (const pending of this.#pending) this.#arm(pending);
  }

  /** Milliseconds until the next timer is due; Infinity where none waits. */
  nextTimerMs(): number {
    return Math.min(...[...this.#pending].map(({ dueMs }) => dueMs - this.monotonicMs()));
  }

  #arm(pending: Pending): void {
    if (this.#stoppedAtMs !== undefined && pending.dueMs > this.#stoppedAtMs) return;
    pending.timer = systemClock.setTimeout(() => this.#fire(pending), pending.dueMs - this.monotonicMs());
  }

  #fire(pending: Pending): void {
    if (!this.#pending.has(pending)) return;
    this.#drop(pending);
    pending.run();
  }

  #drop(pending: Pending): void {
    pending.timer?.cancel();
    this.#pending.delete(pending);
  }
}
