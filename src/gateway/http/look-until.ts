import { sleep } from "../../lib/sleep.ts";
import type { Clock } from "../../lib/clock.ts";

/** Milliseconds between reads; the last one repeats. */
const pausesMs = [50, 100, 200];

/** Polls until `look` gives a value; undefined after `waitMs`. A look that rejects counts as no value. */
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
