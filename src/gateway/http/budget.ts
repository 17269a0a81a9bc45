import type { Clock } from "../../lib/clock.ts";

/**
 * Does the work with a signal that aborts after `budgetMs`, so that callers get an answer even if the API server hangs.
 */
export async function withinBudget<T>(
  clock: Clock,
  budgetMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const timer = clock.setTimeout(() => over.abort(), budgetMs);
  try {
    return await work(over.signal);
  } finally {
    timer.cancel();
  }
}
