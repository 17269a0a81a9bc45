/** What the product fixes without a setting. Milliseconds throughout. */

/** From the start of the runtime's container until the runtime first connects: 4 minutes. */
export const connectLimitMs = 240_000;

/** A sandbox is stale when its last heartbeat is longer ago than this; the runtime beats every 30 seconds. */
export const heartbeatLimitMs = 90_000;

/** When no gateway has renewed its own Lease for this long, silence of sandboxes says nothing about them. */
export const gatewaySilenceMs = 15_000;

/** A Run without a result is swept this long after its execution budget: 100 minutes. */
export const sweepGraceMs = 6_000_000;

/** A Run that is first seen this long after its trigger never starts: 6,000 seconds. */
export const startDeadlineMs = 6_000_000;

/** So many failed starts within {@link startFailureWindowMs} hold further starts back. */
export const startFailureLimit = 3;

/** The window in which failed starts are counted: 5 minutes. */
export const startFailureWindowMs = 300_000;

/** A Pod that is still terminating this long after its attempt ended is taken for one on a dead node: 5 minutes. */
export const terminationLimitMs = 300_000;

/**
 * Timers do not notice that somebody sets the clock, or that the machine was suspended, so what waits for an instant looks
 * at the clock at least this often: 1 minute.
 */
export const longestWaitMs = 60_000;

/** Operator variables that clocks need; execution budgets and lifetimes are stored where they were fixed. */
export interface ClockLimits {
  /** From the Pod's creation until boot has ended, in milliseconds; `SANDBOX_BOOT_TIMEOUT_MS`. */
  bootTimeoutMs: number;
}
