import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { filterCaseBody, filterCases } from "../../../test/fixtures/filter-cases.ts";
import { Filter } from "../../api/v1alpha1/index.ts";
import { compileFilters } from "./compile.ts";

const exists = (path: string): Filter => ({ path, operator: "exists" });
const matches = (filters: readonly Filter[], json: string): boolean => compileFilters(filters)(JSON.parse(json));

it.each(filterCases)(
  "row $row: $filter.path $filter.operator $filter.value is $matches",
  ({ filter, matches: want }) => {
    expect(matches([filter], filterCaseBody)).toBe(want);
  },
);

it.each(filterCases)("row $row: the API takes the filter unless its path is unsupported", (row) => {
  expect(Filter.safeParse(row.filter).success).toBe(!row.refusedWhenApplied);
});

describe("bodies that are no objects", () => {
  it.each(["[]", '[{"a":1}]', '"text"', "5", "true", "null"])(
    "%s has no members and matches without filters",
    (body) => {
      expect(matches([exists("$.a")], body)).toBe(false);
      expect(matches([exists("$.length")], body)).toBe(false);
      expect(matches([], body)).toBe(true);
    },
  );
});

it("finds an own member named __proto__ and what is in it", () => {
  expect(matches([exists("$.__proto__")], '{"__proto__": 1}')).toBe(true);
  expect(matches([{ path: "$.__proto__.a", operator: "eq", value: 2 }], '{"__proto__": {"a": 2}}')).toBe(true);
  expect(matches([exists("$.__proto__")], "{}")).toBe(false);
  expect(matches([exists("$.hasOwnProperty")], '{"hasOwnProperty": null}')).toBe(true);
});

it("needs all filters to match", () => {
  const failed: Filter = { path: "$.status", operator: "eq", value: "failed" };
  const many: Filter = { path: "$.count", operator: "gte", value: 5 };
  expect(matches([failed, many], filterCaseBody)).toBe(false);
  expect(matches([failed, { ...many, value: 3 }], filterCaseBody)).toBe(true);
});

it("takes whole numbers beyond 2^53 as JSON's reader does", () => {
  const filter: Filter = { path: "$.n", operator: "eq", value: 9007199254740992 };
  expect(matches([filter], '{"n": 9007199254740993}')).toBe(true);
});

const operator = fc.constantFrom<Filter["operator"]>("eq", "neq", "gt", "gte", "lt", "lte", "contains", "exists");
const step = fc.oneof(fc.string(), fc.constantFrom("__proto__", "constructor", "length", "a", "0", "toString"));
const path = fc.oneof(
  fc.string(),
  fc.array(step).map((steps) => `$.${steps.join(".")}`),
);
const value = fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.boolean());

it("never throws on any JSON, path and value", () => {
  fc.assert(
    fc.property(path, operator, fc.option(value, { nil: undefined }), fc.json(), (path, operator, value, json) => {
      expect(typeof matches([{ path, operator, value }], json)).toBe("boolean");
    }),
  );
});

it("finds nothing that the body does not spell out", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 4 }), fc.json(), (steps, json) => {
      const found = matches([exists(`$.${steps.join(".")}`)], json);
      const isSpelled = steps.every((one) => JSON.stringify(JSON.parse(json)).includes(JSON.stringify(one)));
      expect(found && !isSpelled).toBe(false);
    }),
  );
});
