import type { Clock } from "./clock.ts";

/** Waits; returns early, without an error, when the signal ends it. */
export function sleep(clock: Pick<Clock, "setTimeout">, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = clock.setTimeout(finish, delayMs);
    signal?.addEventListener("abort", finish, { once: true });
    function finish(): void {
      timer.cancel();
      signal?.removeEventListener("abort", finish);
      resolve();
    }
  });
}

/** Waits for the work, and no longer than this; what comes of it later is its own matter. */
export async function waitAtMost(
  clock: Pick<Clock, "setTimeout">,
  limitMs: number,
  work: Promise<unknown>,
): Promise<void> {
  const over = new AbortController();
  await Promise.race([work, sleep(clock, limitMs, over.signal)]).finally(() => over.abort());
}
