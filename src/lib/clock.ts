/** A pending call that {@link Clock.setTimeout} promised; cancelling twice or too late does nothing. */
export interface Timer {
  cancel(): void;
}

/** Time as a port: tests move it, production reads the machine's. */
export interface Clock {
  /** Wall-clock time, for what people read and what is stored. */
  now(): Date;
  /** Milliseconds from an arbitrary start that never go back, for measuring durations inside one process. */
  monotonicMs(): number;
  /** Calls `run` once after `delayMs` (0 or more); does not keep the process alive. */
  setTimeout(run: () => void, delayMs: number): Timer;
}

/** Node truncates longer delays to 1 ms; a longer wait is made of several. */
const longestDelayMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => new Date(),
  monotonicMs: () => performance.now(),
  setTimeout(run, delayMs) {
    let handle: NodeJS.Timeout;
    const arm = (leftMs: number): void => {
      const stepMs = Math.min(Math.max(leftMs, 0), longestDelayMs);
      handle = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : run()), stepMs);
      handle.unref();
    };
    arm(delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};
