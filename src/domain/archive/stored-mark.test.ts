import { describe, expect, it } from "vitest";
import { aRun } from "../../../test/support/builders.ts";
import { isSetBack, isStored, readMark } from "./stored-mark.ts";

const mark = { runs: "100", sessions: "90", prompts: "95", pullRequests: "97" };

describe("what is stored", () => {
  it.each([
    ["below the mark", mark, "99", true],
    ["at the mark", mark, "100", true],
    ["above the mark", mark, "101", false],
    ["of more digits", mark, "1000", false],
    ["without a mark", undefined, "1", false],
    ["without a version", mark, undefined, true],
  ])("%s", (_, known, resourceVersion, want) => {
    expect(isStored(known, "runs", aRun({ metadata: { resourceVersion } }))).toBe(want);
  });

  it("goes by the mark of its kind", () => {
    expect(isStored(mark, "sessions", aRun({ metadata: { resourceVersion: "95" } }))).toBe(false);
  });
});

it.each([
  ["what was written", JSON.stringify(mark), mark],
  ["nothing", undefined, undefined],
  ["no JSON", "{", undefined],
  ["a mark without a kind", JSON.stringify({ runs: "1" }), undefined],
  ["a mark of a release that knew no pull requests", '{"runs":"1","sessions":"1","prompts":"1"}', undefined],
  ["numbers", JSON.stringify({ runs: 1, sessions: 1, prompts: 1, pullRequests: 1 }), undefined],
])("reads %s", (_, text, want) => {
  expect(readMark(text)).toEqual(want);
});

it.each([
  ["the same", mark, false],
  ["later of one kind", { ...mark, prompts: "96" }, false],
  ["earlier of one kind", { ...mark, prompts: "94", runs: "200" }, true],
])("a mark that is %s", (_, now, want) => {
  expect(isSetBack(now, mark)).toBe(want);
});
