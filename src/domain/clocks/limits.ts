/** Limits without a setting, in milliseconds. */

/** How long the runtime of a pod that was taken from a pool may take to connect, in milliseconds. */
export const claimLimitMs = 10_000;

/** From the start of the runtime's container until the runtime first connects: 4 minutes. */
export const connectLimitMs = 240_000;

/** A sandbox is stale when its last heartbeat is longer ago than this; the runtime beats every 30 seconds. */
export const heartbeatLimitMs = 90_000;

/** When no gateway has renewed its own Lease for this long, missing heartbeats do not count. */
export const gatewaySilenceMs = 15_000;

/** A Run without a result is swept this long after its execution budget: 100 minutes. */
export const sweepGraceMs = 6_000_000;

/** A Run that is first seen this long after its trigger never starts: 6,000 seconds. */
export const startDeadlineMs = 6_000_000;

/** Number of failed starts within {@link startFailureWindowMs} that delays further starts. */
export const startFailureLimit = 3;

/** The window in which failed starts are counted: 5 minutes. */
export const startFailureWindowMs = 300_000;

/** A Pod that still terminates this long after its attempt ended counts as lost with its node: 5 minutes. */
export const terminationLimitMs = 300_000;

/**
 * Longest wait before the clock is read again: 1 minute. Timers do not notice when the clock is set or the machine was
 * suspended.
 */
export const longestWaitMs = 60_000;

/** Operator variables that clocks need; execution budgets and lifetimes are stored where they were fixed. */
export interface ClockLimits {
  /** From the Pod's creation until boot has ended, in milliseconds; `SANDBOX_BOOT_TIMEOUT_MS`. */
  bootTimeoutMs: number;
}
