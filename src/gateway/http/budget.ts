import type { Clock } from "../../lib/clock.ts";

/**
 * Does the work with a signal that ends it after `budgetMs`, so that a caller has an answer soon, whatever the API
 * server does.
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
