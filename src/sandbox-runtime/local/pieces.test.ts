import fc from "fast-check";
import { expect, it } from "vitest";
import { pieces } from "./pieces.ts";

it.each([
  { name: "nothing of nothing", text: "", want: [] },
  { name: "one piece below the limit", text: "abc", want: ["abc"] },
  { name: "one piece at the limit", text: "abcd", want: ["abcd"] },
  { name: "two pieces above the limit", text: "abcde", want: ["abcd", "e"] },
  { name: "a character of two units whole in the next piece", text: "abc𝄞d", want: ["abc", "𝄞d"] },
  { name: "a half character that stands alone", text: "abc\ud834", want: ["abc\ud834"] },
])("makes $name", ({ text, want }) => {
  expect([...pieces(text, 4)]).toEqual(want);
});

it("loses nothing and keeps to the limit", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 2, max: 9 }), (text, maxUnits) => {
      const made = [...pieces(text, maxUnits)];
      expect(made.join("")).toBe(text);
      expect(made.every((piece) => piece.length > 0 && piece.length <= maxUnits && piece.isWellFormed())).toBe(true);
    }),
  );
});
