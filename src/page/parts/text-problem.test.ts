import { expect, it } from "vitest";
import { optionalProblem, textProblem } from "./text-problem.ts";

const limits = {
  minLength: 2,
  maxLength: 4,
  rules: [
    { pattern: "^[a-z😀]*$", message: "must be small letters" },
    { not: "nono", message: "must not be nono" },
  ],
};

it.each([
  ["", "must not be empty"],
  ["a", "must have at least 2 characters"],
  ["ab", undefined],
  ["abcd", undefined],
  ["abcde", "must have at most 4 characters, and has 5"],
  ["😀😀😀😀", undefined],
  ["😀😀😀😀😀", "must have at most 4 characters, and has 5"],
  ["aB", "must be small letters"],
  ["nono", "must not be nono"],
])("of %j says %j", (text, want) => {
  expect(textProblem(limits, text)).toBe(want);
});

it("of what may be left out says nothing while it is", () => {
  expect(optionalProblem(limits, "")).toBeUndefined();
  expect(optionalProblem(limits, "a")).toBe("must have at least 2 characters");
});
