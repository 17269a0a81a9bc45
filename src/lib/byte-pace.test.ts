import { expect, it } from "vitest";

import { atPace, BytePace } from "./byte-pace.ts";
import { FakeClock } from "./fake-clock.ts";

const mebibytes = 1_048_576;
const limits = { burst: 32 * mebibytes, perSecond: 8 * mebibytes };

it.each([
  { bytes: 32 * mebibytes, want: 0 },
  { bytes: 40 * mebibytes, want: 1_000 },
  { bytes: 32 * mebibytes + 8_389, want: 1.000_046 },
])("of $bytes bytes at once the next ones wait for $want ms", ({ bytes, want }) => {
  expect(new BytePace(new FakeClock(), limits).take("a", bytes)).toBeCloseTo(want, 3);
});

it("lets 8 MiB a second through once the first 32 are taken, and has all back after 4 s", () => {
  const clock = new FakeClock();
  const unproven = new BytePace(clock, limits);
  unproven.take("a", 32 * mebibytes);
  clock.advance(500);
  expect([unproven.take("a", 4 * mebibytes), unproven.take("a", 4 * mebibytes)]).toEqual([0, 500]);
  clock.advance(4_500);
  expect(unproven.take("a", 32 * mebibytes)).toBe(0);
});

it("counts each key alone, and not what was given back", () => {
  const unproven = new BytePace(new FakeClock(), limits);
  unproven.take("a", 32 * mebibytes);
  expect(unproven.take("b", 32 * mebibytes)).toBe(0);
  unproven.giveBack("a", 16 * mebibytes);
  expect([unproven.take("a", 16 * mebibytes), unproven.take("a", 8 * mebibytes)]).toEqual([0, 1_000]);
  unproven.giveBack("c", 1);
  expect(unproven.take("c", 32 * mebibytes)).toBe(0);
});

it("forgets keys that owe nothing", () => {
  const clock = new FakeClock();
  const unproven = new BytePace(clock, limits);
  for (let key = 0; key < 255; key += 1) unproven.take(String(key), 1);
  unproven.take("owes", 32 * mebibytes);
  clock.advance(1_000);
  for (let count = 0; count < 255; count += 1) unproven.take("owes", 1);
  expect(unproven.size).toBe(256);
  unproven.take("owes", 1);
  expect(unproven.size).toBe(1);
});

it("has a reader wait once the first bytes are taken, and no longer", async () => {
  const clock = new FakeClock();
  const read = atPace(new BytePace(clock, { burst: 10, perSecond: 10 }), { key: "a", clock });
  expect(read(Buffer.alloc(10))).toBeUndefined();
  let isOver = false;
  const waiting = read(Buffer.alloc(10))?.then(() => (isOver = true));
  clock.advance(999);
  await Promise.resolve();
  expect(isOver).toBe(false);
  clock.advance(1);
  await waiting;
  clock.advance(1_000);
  expect(read(Buffer.alloc(10))).toBeUndefined();
});
