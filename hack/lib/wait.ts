import { setTimeout as delay } from "node:timers/promises";

/** Asks every 100 ms until the answer is yes; throws with `describe()` after `limitMs`. */
export async function waitUntil(
  isSo: () => Promise<boolean>,
  limitMs: number,
  describe: () => Promise<string>,
): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not within ${limitMs / 1000} s: ${await describe()}`);
    await delay(100);
  }
}
