import { expect, it } from "vitest";
import { relativeTime, shownDuration } from "./relative-time.ts";

it.each([
  [0, "now"],
  [-999, "now"],
  [-1_000, "1 sec. ago"],
  [-59_999, "59 sec. ago"],
  [-60_000, "1 min. ago"],
  [-3_600_000, "1 hr. ago"],
  [-86_400_000, "1 day ago"],
  [7_200_000, "in 2 hr."],
])("%d ms from now is %s", (ms, want) => {
  expect(relativeTime(1_000_000_000 + ms, 1_000_000_000)).toBe(want);
});

it.each([
  [0, "0 s"],
  [999, "0 s"],
  [1_000, "1 s"],
  [60_000, "1 min"],
  [432_000, "7 min 12 s"],
  [3_600_000, "1 h"],
  [90_061_000, "1 d 1 h"],
])("%d ms are %s", (ms, want) => {
  expect(shownDuration(ms)).toBe(want);
});
