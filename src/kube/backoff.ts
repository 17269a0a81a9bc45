import type { Random } from "../lib/random.ts";

export interface BackoffLimits {
  /** The first delay, in milliseconds. */
  baseMs: number;
  /** No delay is longer, in milliseconds. */
  maxMs: number;
}

/**
 * The delay before the next attempt after `failures` failures in a row: doubling from the base to the maximum, and of
 * that between half and all by chance, so that many that failed together do not return together.
 */
export function backoffMs(failures: number, limits: BackoffLimits, random: Pick<Random, "fraction">): number {
  const doubled = limits.baseMs * 2 ** Math.min(Math.max(failures - 1, 0), 30);
  return Math.min(doubled, limits.maxMs) * (0.5 + random.fraction() / 2);
}
