import { expect, it } from "vitest";

import { compareTimes, laterOf, readableTime } from "./slack-time.ts";

it.each([
  { left: "1767225600.123456", right: "1767225600.123456", want: 0 },
  { left: "1767225600.123456", right: "1767225600.123457", want: -1 },
  { left: "1767225600.2", right: "1767225600.123456", want: 1 },
  { left: "999999999.9", right: "1767225600.0", want: -1 },
  // As floating-point numbers these are equal.
  { left: "9007199254740993.000001", right: "9007199254740993.000002", want: -1 },
])("$left is to $right as $want", ({ left, right, want }) => {
  expect(compareTimes(left, right)).toBe(want);
  expect(compareTimes(right, left)).toBe(want === 0 ? 0 : -want);
});

it("a time that is missing is before all others", () => {
  expect([laterOf(undefined, "1.0"), laterOf("1.0", undefined), laterOf("2.0", "1.0"), laterOf("1.0", "2.0")]).toEqual([
    "1.0",
    "1.0",
    "2.0",
    "2.0",
  ]);
});

it.each(["", "soon", "1767225600", "1767225600.", "1767225600.1234567890", "-1.0", "1e9.0"])(
  "the stored time %j is as if it were not there",
  (stored) => {
    expect(readableTime(stored)).toBeUndefined();
    expect(laterOf(stored, "1.0")).toBe("1.0");
  },
);
