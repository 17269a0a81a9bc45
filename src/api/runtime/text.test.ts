import fc from "fast-check";
import { expect, it } from "vitest";
import { plainText } from "./text.ts";
import { firstCharacters, lastCharacters } from "../../lib/characters.ts";

it.each([
  { name: "keeps tabs and line feeds", text: "a\tb\nc", want: "a\tb\nc" },
  { name: "makes one line feed of other line ends", text: "a\r\nb\rc", want: "a\nb\nc" },
  { name: "drops colours", text: "\u001b[1;31mred\u001b[0m", want: "red" },
  { name: "drops titles and links", text: "\u001b]0;title\u0007a\u001b]8;;http://x\u001b\\b", want: "ab" },
  { name: "drops what tput sgr0 writes", text: "\u001b[31mred\u001b(B\u001b[m.", want: "red." },
  { name: "drops a saved and restored cursor", text: "\u001b7a\u001b8b\u001b=c\u001b>\u001bcd", want: "abcd" },
  { name: "drops texts to the terminal", text: "a\u001bP+q544e\u001b\\b\u001b_Gi=1;AA\u001b\\c", want: "abc" },
  { name: "drops an escape that is left alone", text: "a\u001b", want: "a" },
  { name: "drops control characters", text: "a\u0000b\u0007c\u007fd\u0085e", want: "abcde" },
  { name: "drops what reorders text", text: "a\u202eb\u2066c\u200fd", want: "abcd" },
  { name: "drops line separators and byte order marks", text: "\ufeffa\u2028b\u2029c", want: "abc" },
  { name: "replaces half characters", text: "a\ud834", want: "a\ufffd" },
])("$name", ({ text, want }) => {
  expect(plainText(text, 100)).toBe(want);
});

it.each([
  { count: 2, want: "a𝄞" },
  { count: 1, want: "a" },
  { count: 0, want: "" },
  { count: 3, want: "a𝄞b" },
  { count: 9, want: "a𝄞b" },
])("takes the first $count characters", ({ count, want }) => {
  expect(firstCharacters("a𝄞b", count)).toBe(want);
});

it.each([
  { count: 2, want: "𝄞b" },
  { count: 1, want: "b" },
  { count: 0, want: "" },
  { count: 3, want: "a𝄞b" },
])("takes the last $count characters", ({ count, want }) => {
  expect(lastCharacters("a𝄞b", count)).toBe(want);
});

it("counts as the API server does and never splits a character", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(20), (text, count) => {
      const points = Array.from(text);
      expect(firstCharacters(text, count)).toBe(points.slice(0, count).join(""));
      expect(lastCharacters(text, count)).toBe(points.slice(Math.max(points.length - count, 0)).join(""));
      expect(plainText(text, count).isWellFormed()).toBe(true);
    }),
  );
});
