import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { filterCaseBody, filterCases } from "../../../test/fixtures/filter-cases.ts";
import { Filter } from "../../api/v1alpha1/index.ts";
import { compileFilters } from "./compile.ts";
import { describeMismatch } from "./describe.ts";

const exists = (path: string): Filter => ({ path, operator: "exists" });
const matches = (filters: readonly Filter[], json: string): boolean =>
  compileFilters(filters).firstMismatch(JSON.parse(json)) === undefined;

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
      const finding = compileFilters([{ path, operator, value }]).judgeAll(JSON.parse(json))[0]!;
      expect(typeof finding.matches).toBe("boolean");
      expect(describeMismatch(finding).length).toBeLessThan(3 * path.length + 1_000);
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

describe("says why a filter did not match", () => {
  const said = (filter: Filter): string => {
    const [, second] = compileFilters([exists("$.status"), filter]).judgeAll(JSON.parse(filterCaseBody));
    return describeMismatch(second!);
  };

  it.each<[Filter, string]>([
    [{ path: "$.status", operator: "eq", value: "ok" }, 'filters[1]: $.status is "failed", but must be "ok"'],
    [
      { path: "$.countText", operator: "eq", value: 3 },
      'filters[1]: $.countText is "3", but must be 3; text never equals number',
    ],
    [{ path: "$.status", operator: "neq", value: "failed" }, '$.status is "failed", but must be there and not be'],
    [{ path: "$.count", operator: "gt", value: 3 }, "$.count is 3, but must be a number above 3"],
    [{ path: "$.count", operator: "gte", value: 4 }, "$.count is 3, but must be a number of at least 4"],
    [{ path: "$.neg", operator: "lt", value: -2 }, "$.neg is -2, but must be a number below -2"],
    [{ path: "$.none", operator: "lte", value: 1 }, "$.none is null, but must be a number of at most 1"],
    [
      { path: "$.note", operator: "contains", value: "red" },
      'is "Build FAILED on main", but must be text that has "red"',
    ],
    [{ path: "$.tags", operator: "contains", value: "red" }, "$.tags is a list, but"],
    [{ path: "$.nested", operator: "eq", value: true }, "$.nested is an object, but must be true; object never equals"],
    [exists("$.nested.gone.n"), "$.nested.gone is missing, but must be there"],
    [exists("$.tags.0"), "$.tags is a list and has no members, but must be there"],
    [exists("$.status.length"), "$.status is text and has no members"],
    [exists("$.none.x"), "$.none is null and has no members"],
    [exists("$.tags[0]"), "$.tags[0] is no path that can be followed"],
  ])("%j: %s", (filter, want) => {
    expect(said(filter)).toContain(want);
  });

  it("the body itself where it is no object", () => {
    const finding = compileFilters([exists("$.a")]).firstMismatch([]);
    expect(describeMismatch(finding!)).toBe("filters[0]: $ is a list and has no members, but must be there");
  });

  it("with escapes in place of characters that a terminal would obey or hide", () => {
    const filters: Filter[] = [{ path: "$.a", operator: "eq", value: "ok" }];
    const finding = compileFilters(filters).firstMismatch({ a: "o\u009b2J\u202ek\u001b" });
    expect(describeMismatch(finding!)).toBe('filters[0]: $.a is "o\\u009b2J\\u202ek\\u001b", but must be "ok"');
  });

  it.each([79, 80, 81])("text of %i characters, cut after 80 of them", (characters) => {
    const finding = compileFilters([{ path: "$.a", operator: "eq", value: 1 }]).firstMismatch({
      a: "😀".repeat(characters),
    });
    const quote = `"${"😀".repeat(Math.min(80, characters))}"${characters > 80 ? "…" : ""}`;
    expect(describeMismatch(finding!)).toContain(`$.a is ${quote}, but`);
  });
});
