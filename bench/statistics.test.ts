import fc from "fast-check";
import { expect, it } from "vitest";

import { median, orderOf, percentile, rounded, spread } from "./statistics.ts";

it.each([
  { numbers: [3], want: 3 },
  { numbers: [5, 1, 9], want: 5 },
  { numbers: [4, 1, 3, 2], want: 2.5 },
  { numbers: [10, 9, 100], want: 10 },
])("the median of $numbers is $want", ({ numbers, want }) => {
  expect(median(numbers)).toBe(want);
});

it.each([
  { share: 0, want: 1 },
  { share: 0.25, want: 1 },
  { share: 0.26, want: 2 },
  { share: 0.99, want: 4 },
  { share: 1, want: 4 },
])("the percentile of 4, 1, 3, 2 at $share is $want", ({ share, want }) => {
  expect(percentile([4, 1, 3, 2], share)).toBe(want);
});

it("says that nothing has neither median nor percentile nor spread", () => {
  expect(() => percentile([], 0.5)).toThrow("no percentile");
  expect(() => median([])).toThrow("no median");
  expect(() => spread([])).toThrow("no spread");
});

it("finds the median between lowest and highest", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1 }), (numbers) => {
      const { min, max } = spread(numbers);
      expect(median(numbers)).toBeGreaterThanOrEqual(min);
      expect(median(numbers)).toBeLessThanOrEqual(max);
    }),
  );
});

it.each([
  { value: 1_234.56, want: 1_235 },
  { value: 99.96, want: 100 },
  { value: 0.123_456, want: 0.123 },
  { value: 0, want: 0 },
])("rounds $value to $want", ({ value, want }) => {
  expect(rounded(value)).toBe(want);
});

it("has every contender begin once in as many rounds", () => {
  const orders = [0, 1, 2, 3].map((round) => orderOf(["a", "b", "c"], round).join(""));
  expect(orders).toEqual(["abc", "bca", "cab", "abc"]);
  expect(orderOf([], 2)).toEqual([]);
});
