import { sleep } from "../../lib/sleep.ts";
import type { Clock } from "../../lib/clock.ts";

/** Pauses between looks, in milliseconds; the last one repeats. */
const pausesMs = [50, 100, 200];

/** Looks until there is something to see; undefined when there is nothing after `waitMs`. A look that fails shows nothing. */
export async function lookUntil<T>(
  clock: Clock,
  { waitMs, signal }: { waitMs: number; signal: AbortSignal },
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const endMs = clock.monotonicMs() + waitMs;
  for (let looks = 0; clock.monotonicMs() < endMs && !signal.aborted; looks += 1) {
    await sleep(clock, pausesMs[Math.min(looks, pausesMs.length - 1)] ?? 0, signal);
    const seen = await look().catch(() => undefined);
    if (seen !== undefined) return seen;
  }
  return undefined;
}
