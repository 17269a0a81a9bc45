import fc from "fast-check";
import { expect, it } from "vitest";

import { TextTail } from "./text-tail.ts";

it("keeps the end, however the text comes", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 30_000 })), fc.integer({ min: 1, max: 40_000 }), (pieces, most) => {
      const tail = new TextTail(most);
      for (const piece of pieces) tail.take(piece);
      const all = pieces.join("");
      const text = all.slice(-most);
      expect(tail.end()).toEqual({ text, cut: all.length - text.length });
    }),
    { numRuns: 50 },
  );
});

it.each([
  { length: 9, cut: 0 },
  { length: 10, cut: 0 },
  { length: 11, cut: 1 },
])("of $length it cuts $cut", ({ length, cut }) => {
  const tail = new TextTail(10);
  for (let index = 0; index < length; index += 1) tail.take(String(index % 10));
  expect(tail.end()).toEqual({ text: "01234567890".slice(cut, length), cut });
});
