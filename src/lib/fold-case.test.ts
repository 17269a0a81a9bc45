import { expect, it } from "vitest";

import { foldCase } from "./fold-case.ts";

it.each([
  ["Deploy", "dEPLOY"],
  ["ΟΔΟΣ", "οδος"],
  ["ΟΔΟΣ", "οδοσ"],
  ["straße", "STRASSE"],
  ["ẞ", "ß"],
  ["\u{10400}", "\u{10428}"],
])("%s and %s are the same", (left, right) => {
  expect(foldCase(left)).toBe(foldCase(right));
});

it.each([
  ["a", "b"],
  ["e", "é"],
  ["İ", "i"],
])("%s and %s are not", (left, right) => {
  expect(foldCase(left)).not.toBe(foldCase(right));
});

it("a part of a text stays a part", () => {
  expect(foldCase("ΣΑΣΑ")).toContain(foldCase("ΣΑΣ"));
});
