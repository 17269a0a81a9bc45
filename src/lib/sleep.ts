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
