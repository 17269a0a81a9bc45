import { expect, it } from "vitest";

import { countCharacters, cutMiddle } from "./characters.ts";

it.each([
  { name: "below the limit", text: "x".repeat(29), want: "x".repeat(29) },
  { name: "at the limit", text: "x".repeat(30), want: "x".repeat(30) },
  {
    name: "above the limit",
    text: `${"a".repeat(20)}${"b".repeat(20)}`,
    want: `${"a".repeat(8)} […] ${"b".repeat(17)}`,
  },
  { name: "of characters of two units", text: "𝄞".repeat(31), want: `${"𝄞".repeat(8)} […] ${"𝄞".repeat(17)}` },
])("a text $name keeps its beginning and its end", ({ text, want }) => {
  expect(cutMiddle(text, 30)).toBe(want);
  expect(countCharacters(cutMiddle(text, 30))).toBeLessThanOrEqual(30);
});
