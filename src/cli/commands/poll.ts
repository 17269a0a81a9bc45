import type { Clock } from "../../lib/clock.ts";
import { sleep } from "../../lib/sleep.ts";

/** Pauses between reads, in milliseconds; the last one repeats. */
const pausesMs = [50, 100, 200, 500, 1_000];

/** Time for the controller to act, in milliseconds. It takes about a second; more means that none is running. */
export const controllerMs = 10_000;

/** Reads repeatedly until `isEnough`, at most for `forMs` milliseconds; returns what it read last. */
export async function poll<T>(
  clock: Clock,
  look: () => Promise<T>,
  { isEnough, forMs }: { isEnough: (seen: T) => boolean; forMs: number },
): Promise<T> {
  const endMs = clock.monotonicMs() + forMs;
  for (let looks = 0; ; looks += 1) {
    const seen = await look();
    const leftMs = endMs - clock.monotonicMs();
    if (isEnough(seen) || leftMs <= 0) return seen;
    await sleep(clock, Math.min(pausesMs[Math.min(looks, pausesMs.length - 1)] ?? 0, leftMs));
  }
}
