export interface BackoffLimits {
  /** The first delay, in milliseconds. */
  baseMs: number;
  /** No delay is longer, in milliseconds. */
  maxMs: number;
}

/**
 * The delay before the next attempt after `failures` failures in a row: doubling from the base to the maximum, and of
 * that between half and all by chance (`random` from 0 to 1), so that many that failed together do not return together.
 */
export function backoffMs(failures: number, limits: BackoffLimits, random: () => number): number {
  const doubled = limits.baseMs * 2 ** Math.min(Math.max(failures - 1, 0), 30);
  return Math.min(doubled, limits.maxMs) * (0.5 + random() / 2);
}
