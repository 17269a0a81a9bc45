import { expect, it } from "vitest";

import { FakeClock } from "./fake-clock.ts";
import { Slowdown } from "./slowdown.ts";

function failing(times: number, slowdown: Slowdown, address: string): boolean {
  for (let failed = 0; failed < times; failed += 1) slowdown.failed(address);
  return slowdown.isSlowed(address);
}

it("slows an address down to 4 failures a second after 256, and no other", () => {
  const clock = new FakeClock();
  const slowdown = new Slowdown(clock);
  expect(slowdown.isSlowed("a")).toBe(false);
  expect(failing(256, slowdown, "a")).toBe(false);
  expect(failing(1, slowdown, "a")).toBe(true);
  expect(slowdown.isSlowed("b")).toBe(false);
  clock.advance(249);
  expect(slowdown.isSlowed("a")).toBe(true);
  clock.advance(1);
  expect(slowdown.isSlowed("a")).toBe(false);
  expect([failing(1, slowdown, "a"), failing(1, slowdown, "a")]).toEqual([false, true]);
});

it("forgets addresses that have been quiet, and else the first one beyond 4,096", () => {
  const clock = new FakeClock();
  const slowdown = new Slowdown(clock);
  failing(257, slowdown, "first");
  failing(257, slowdown, "second");
  for (let other = 0; other < 4_094; other += 1) slowdown.failed(String(other));
  expect([slowdown.isSlowed("first"), slowdown.isSlowed("second")]).toEqual([true, true]);
  slowdown.failed("one more");
  expect([slowdown.isSlowed("first"), slowdown.isSlowed("second")]).toEqual([false, true]);
});
