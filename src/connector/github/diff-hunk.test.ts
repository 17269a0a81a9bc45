import { expect, it } from "vitest";

import { countCharacters } from "../../lib/characters.ts";
import { cutHunk } from "./diff-hunk.ts";

const header = "@@ -1,9 +1,9 @@";
const of = (characters: number, letter = "x"): string =>
  `${header}\n${letter.repeat(characters - countCharacters(header) - 1)}`;

it.each([
  { name: "4,000 characters", hunk: of(4_000), isCut: false },
  { name: "4,001 characters", hunk: of(4_001), isCut: true },
  { name: "4,000 emoji", hunk: "🙂".repeat(4_000), isCut: false },
  { name: "4,001 emoji", hunk: "🙂".repeat(4_001), isCut: true },
])("a hunk of $name is cut: $isCut", ({ hunk, isCut }) => {
  const cut = cutHunk(hunk, 4_000);
  expect(cut.isCut).toBe(isCut);
  expect(countCharacters(cut.text)).toBe(4_000);
});

it("keeps the header and the end, where the commented line is", () => {
  const { text } = cutHunk(`${header}\n${"+old\n".repeat(1_000)}+the line`, 4_000);
  expect(text.startsWith(`${header}\n`)).toBe(true);
  expect(text.endsWith("+the line")).toBe(true);
});

it("cuts a header that would leave no room for the end", () => {
  const { text } = cutHunk(`${"h".repeat(5_000)}\nthe line`, 4_000);
  expect(text.endsWith("\nthe line")).toBe(true);
  expect(countCharacters(text)).toBe(4_000);
});
