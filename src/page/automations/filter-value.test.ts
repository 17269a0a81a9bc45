import { expect, it } from "vitest";
import { filterProblem, filterValue } from "./filter-value.ts";

it.each([
  ["3", 3],
  ["-2", -2],
  ["0.5", 0.5],
  ["3.0", 3],
  ["0", 0],
  ["03", "03"],
  ["1e3", "1e3"],
  ["0x10", "0x10"],
  ["", ""],
  ["  ", "  "],
  [" 3", " 3"],
  ["Infinity", "Infinity"],
  ["true", "true"],
  ["3,5", "3,5"],
  ["3.", "3."],
  [".5", ".5"],
  ["+3", "+3"],
  ["firing", "firing"],
])("what is typed as %j is stored as %j", (typed, want) => {
  expect(filterValue("eq", typed)).toBe(want);
});

it("what is looked for in a text stays text", () => {
  expect(filterValue("contains", "3")).toBe("3");
});

it.each([
  ["a number", { path: "$.count", operator: "gt", typed: "3" }, false],
  ["text", { path: "$.count", operator: "gt", typed: "three" }, true],
  ["no value", { path: "$.count", operator: "exists", typed: "" }, false],
  ["an index", { path: "$.items[0]", operator: "eq", typed: "x" }, true],
  ["no root", { path: "count", operator: "eq", typed: "x" }, true],
  ["an empty step", { path: "$.a..b", operator: "eq", typed: "x" }, true],
] as const)("%s", (_, filter, isWrong) => {
  expect(filterProblem(filter) !== undefined).toBe(isWrong);
});
