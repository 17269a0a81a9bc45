import { expect, it } from "vitest";
import { systemClock } from "./clock.ts";

function elapsedMs(delayMs: number): Promise<number> {
  const startMs = systemClock.monotonicMs();
  const { promise, resolve } = Promise.withResolvers<number>();
  systemClock.setTimeout(() => resolve(systemClock.monotonicMs() - startMs), delayMs);
  return promise;
}

it("never calls before the time has come, fractions of a millisecond included", async () => {
  // The timers themselves keep no process alive.
  const alive = setInterval(() => undefined, 1_000);
  for (let turn = 0; turn < 50; turn += 1) expect(await elapsedMs(1.9)).toBeGreaterThanOrEqual(1.9);
  clearInterval(alive);
});
