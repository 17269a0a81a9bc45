import { setTimeout as delay } from "node:timers/promises";

/** Longer than the second for which a controller holds writes back. */
const quietMs = 2_000;
const lookEveryMs = 200;
const limitMs = 120_000;

/** Resolves when a count has been the same for 2 s; throws where that does not happen within 2 minutes. */
export async function quiet(what: string, count: () => number | Promise<number>): Promise<void> {
  const deadlineMs = performance.now() + limitMs;
  let last = await count();
  let sinceMs = performance.now();
  while (performance.now() - sinceMs < quietMs) {
    await delay(lookEveryMs);
    const next = await count();
    const nowMs = performance.now();
    if (nowMs > deadlineMs) throw new Error(`not within ${limitMs / 1_000} s: ${what}`);
    if (next !== last) sinceMs = nowMs;
    last = next;
  }
}
