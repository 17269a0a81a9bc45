/** A pending call of {@link Clock.setTimeout}; cancelling twice or too late does nothing. */
export interface Timer {
  cancel(): void;
}

/** Time as a port, so that tests and simulations control it. */
export interface Clock {
  /** Wall-clock time, for what people read and what is stored. */
  now(): Date;
  /** Milliseconds from an arbitrary start that never go back, for measuring durations inside one process. */
  monotonicMs(): number;
  /** Calls `run` once after `delayMs` (0 or more), never before; does not keep the process alive. */
  setTimeout(run: () => void, delayMs: number): Timer;
}

/** Node treats longer delays as 1 ms, so longer waits are split. */
const longestDelayMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  setTimeout(run, delayMs) {
    const dueMs = performance.now() + delayMs;
    let handle: NodeJS.Timeout;
    const arm = (): void => {
      const leftMs = Math.ceil(Math.max(dueMs - performance.now(), 0));
      // Node counts whole milliseconds, so it may call up to one too early.
      handle = setTimeout(() => (performance.now() < dueMs ? arm() : run()), Math.min(leftMs, longestDelayMs));
      handle.unref();
    };
    arm();
    return { cancel: () => clearTimeout(handle) };
  },
};
