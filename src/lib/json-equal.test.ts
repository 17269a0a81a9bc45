import fc from "fast-check";
import { expect, it } from "vitest";
import { jsonEqual } from "./json-equal.ts";

it.each([
  [1, 1, true],
  [1, "1", false],
  [null, undefined, false],
  [null, {}, false],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [{ a: null }, {}, false],
  [[1, 2], [2, 1], false],
  [[1], [1, 2], false],
  [[], {}, false],
  [{ a: [{ b: 1 }] }, { a: [{ b: 1 }] }, true],
])("compares %j with %j: %s", (left, right, want) => {
  expect(jsonEqual(left, right)).toBe(want);
  expect(jsonEqual(right, left)).toBe(want);
});

it("agrees with the JSON of any two values whose members are in the same order", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
      expect(jsonEqual(left, structuredClone(left))).toBe(true);
      if (JSON.stringify(left) === JSON.stringify(right)) expect(jsonEqual(left, right)).toBe(true);
    }),
  );
});
