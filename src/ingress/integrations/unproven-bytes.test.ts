import { expect, it } from "vitest";

import { FakeClock } from "../../lib/fake-clock.ts";
import { UnprovenBytes } from "./unproven-bytes.ts";

const mebibytes = 1_048_576;

it.each([
  { bytes: 32 * mebibytes, want: 0 },
  { bytes: 40 * mebibytes, want: 1_000 },
  { bytes: 32 * mebibytes + 8_389, want: 1.000_046 },
])("of $bytes bytes at once the next ones wait for $want ms", ({ bytes, want }) => {
  expect(new UnprovenBytes(new FakeClock()).take("a", bytes)).toBeCloseTo(want, 3);
});

it("lets 8 MiB a second through once the first 32 are taken, and has all back after 4 s", () => {
  const clock = new FakeClock();
  const unproven = new UnprovenBytes(clock);
  unproven.take("a", 32 * mebibytes);
  clock.advance(500);
  expect([unproven.take("a", 4 * mebibytes), unproven.take("a", 4 * mebibytes)]).toEqual([0, 500]);
  clock.advance(4_500);
  expect(unproven.take("a", 32 * mebibytes)).toBe(0);
});

it("counts each key alone, and not what was given back", () => {
  const unproven = new UnprovenBytes(new FakeClock());
  unproven.take("a", 32 * mebibytes);
  expect(unproven.take("b", 32 * mebibytes)).toBe(0);
  unproven.giveBack("a", 16 * mebibytes);
  expect([unproven.take("a", 16 * mebibytes), unproven.take("a", 8 * mebibytes)]).toEqual([0, 1_000]);
  unproven.giveBack("c", 1);
  expect(unproven.take("c", 32 * mebibytes)).toBe(0);
});

it("forgets keys that owe nothing", () => {
  const clock = new FakeClock();
  const unproven = new UnprovenBytes(clock);
  for (let key = 0; key < 255; key += 1) unproven.take(String(key), 1);
  unproven.take("owes", 32 * mebibytes);
  clock.advance(1_000);
  for (let count = 0; count < 255; count += 1) unproven.take("owes", 1);
  expect(unproven.size).toBe(256);
  unproven.take("owes", 1);
  expect(unproven.size).toBe(1);
});
