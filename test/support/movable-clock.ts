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

  /** Time stands still meanwhile, but for moves, so that nobody's patience ends, however slow the machine is. */
  async stopWhile<T>(work: () => Promise<T>): Promise<T> {
    this.#stoppedAtMs = this.monotonicMs();
    for (const pending of this.#pending) pending.timer?.cancel();
    try {
      return await work();
    } finally {
      this.#aheadMs = this.monotonicMs() - systemClock.monotonicMs();
      this.#stoppedAtMs = undefined;
      for (const pending of this.#pending) this.#arm(pending);
    }
  }

  #arm(pending: Pending): void {
    if (this.#stoppedAtMs !== undefined) return;
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
