import { expect, it } from "vitest";

import { listText } from "./list-text.ts";

it.each([
  { name: "just below the limit", lengths: [1_000, 1_697], want: 2_699 },
  { name: "at the limit", lengths: [1_000, 1_698], want: 2_700 },
])("a list $name is whole", ({ lengths, want }) => {
  const text = listText(
    lengths.map((length) => "é".repeat(length)),
    ", ",
  );
  expect(Array.from(text)).toHaveLength(want);
  expect(text).not.toContain("more");
});

it("a list above the limit says how much it leaves out", () => {
  const entries = [1_000, 1_699, 5].map((length) => "a".repeat(length));
  expect(listText(entries, ", ")).toBe(`${entries[0]}, and 2 more`);
});

it("an empty list is empty", () => {
  expect(listText([], ", ")).toBe("");
});
