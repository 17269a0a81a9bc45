import { expect, it } from "vitest";
import { historyEnd, noRuns } from "./history-end.ts";

const trimmed = [{ message: "History is whole only after March" }];
const last = { isComplete: true, nextCursor: null };

it.each([
  ["what a budget took away, on the last page", { ...last, trimmed }, ["History is whole only after March."]],
  ["nothing, where others follow", { ...last, trimmed, nextCursor: "1" }, []],
  ["nothing, where nothing was taken away", last, []],
])("the end of history says %s", (_, page, want) => {
  expect(historyEnd(page)).toEqual(want);
});

it.each([
  ["has not run yet", last],
  ["No run of it is kept", { ...last, trimmed }],
  ["cluster has no run", { ...last, isComplete: false }],
])("in place of no runs there is: %s", (want, page) => {
  expect(noRuns(page)).toContain(want);
});
