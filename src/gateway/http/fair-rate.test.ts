import { beforeEach, expect, it } from "vitest";

import { FakeClock } from "../../lib/fake-clock.ts";
import { FairRate } from "./fair-rate.ts";

let clock: FakeClock;
let rate: FairRate;
beforeEach(() => {
  clock = new FakeClock();
  rate = new FairRate({ burst: 16, perSecond: 4 }, clock);
});

/** How often a key takes one until it has its share. */
function takeAll(key: string): number {
  let taken = 0;
  while (rate.take(key)) taken += 1;
  return taken;
}

it("gives a key that is alone half of the burst, and then the whole rate", () => {
  expect(takeAll("a")).toBe(8);
  for (let second = 0; second < 10; second += 1) {
    clock.advance(1_000);
    expect(takeAll("a")).toBe(4);
  }
});

it("leaves some to the next key, however many take all they can", () => {
  expect(["a", "b", "c", "d", "e"].map(takeAll)).toEqual([8, 4, 2, 1, 1]);
  for (let second = 0; second < 60; second += 1) {
    clock.advance(250);
    for (const key of ["a", "b", "c"]) takeAll(key);
  }
  expect(rate.take("new")).toBe(true);
});

it("gives several keys the rate together", () => {
  const keys = ["a", "b", "c"];
  for (const key of keys) takeAll(key);
  let taken = 0;
  for (let step = 0; step < 100; step += 1) {
    clock.advance(100);
    for (const key of keys) taken += takeAll(key);
  }
  expect(taken).toBeGreaterThanOrEqual(36);
  expect(taken).toBeLessThanOrEqual(44);
});

it("forgets what was taken long ago, and has all of the burst again", () => {
  takeAll("a");
  clock.advance(1_750);
  expect(takeAll("a")).toBe(7);
  clock.advance(2_000);
  expect(takeAll("a")).toBe(8);
});

it("remembers no more keys than took something lately", () => {
  for (let key = 0; key < 10_000; key += 1) {
    clock.advance(250);
    rate.take(String(key));
  }
  expect(rate.size).toBeLessThanOrEqual(33);
});
