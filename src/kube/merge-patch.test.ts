import fc from "fast-check";
import { expect, it } from "vitest";
import { isPlainObject, jsonEqual } from "../lib/json-equal.ts";
import { mergePatch } from "./merge-patch.ts";

it.each([
  { name: "nothing for equal values", before: { a: 1, b: [1] }, after: { b: [1], a: 1 }, want: undefined },
  { name: "null for what goes", before: { a: 1, b: 2 }, after: { a: 1 }, want: { b: null } },
  { name: "null for what becomes undefined", before: { a: 1 }, after: { a: undefined }, want: { a: null } },
  {
    name: "only the inner member that changed",
    before: { a: { b: 1, c: 2 } },
    after: { a: { b: 1, c: 3 } },
    want: { a: { c: 3 } },
  },
  { name: "a whole list", before: { a: [1, 2] }, after: { a: [1, 3] }, want: { a: [1, 3] } },
  { name: "everything when there was nothing", before: undefined, after: { a: 1 }, want: { a: 1 } },
])("patches $name", ({ before, after, want }) => {
  expect(mergePatch(before, after)).toEqual(want);
});

/** RFC 7396, as the API server applies it. */
function apply(target: unknown, patch: unknown): unknown {
  if (!isPlainObject(patch)) return patch;
  const result = isPlainObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(result, name);
    else result[name] = apply(result[name], value);
  }
  return result;
}

it("leads from any status to any other that holds no null", () => {
  const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.array(fc.integer()));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.dictionary(fc.constantFrom("a", "b", "c"), fc.oneof({ depthSize: "small" }, leaf, tie("tree")), {
      noNullPrototype: true,
    }),
  }));
  fc.assert(
    fc.property(tree, tree, (before, after) => {
      if (!isPlainObject(before) || !isPlainObject(after)) throw new Error("dictionaries are objects");
      expect(jsonEqual(apply(before, mergePatch(before, after) ?? {}), after)).toBe(true);
    }),
  );
});
