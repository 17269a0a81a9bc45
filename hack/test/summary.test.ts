import { describe, expect, it } from "vitest";

import { addUp, closingLine, countReport } from "./summary.ts";

const green = { numPassedTests: 3, numFailedTests: 0, numPendingTests: 1, numTodoTests: 1, numFailedTestSuites: 0 };

describe("countReport", () => {
  it.each([
    { name: "counts a green run", report: green, status: 0, want: { passed: 3, failed: 0, skipped: 2 } },
    {
      name: "counts failed tests",
      report: { ...green, numFailedTests: 2 },
      status: 1,
      want: { passed: 3, failed: 2, skipped: 2 },
    },
    {
      name: "counts a run that failed around its tests as one failure",
      report: green,
      status: 1,
      want: { passed: 3, failed: 1, skipped: 2 },
    },
    {
      name: "counts a run that was killed as one failure",
      report: green,
      status: null,
      want: { passed: 3, failed: 1, skipped: 2 },
    },
    {
      name: "counts a run without a report as one failure",
      report: undefined,
      status: 0,
      want: { passed: 0, failed: 1, skipped: 0 },
    },
  ])("$name", ({ report, status, want }) => {
    expect(countReport(report, status)).toEqual(want);
  });
});

describe("addUp", () => {
  it("sums the levels and counts each missing one as a failure", () => {
    const level = { passed: 2, failed: 1, skipped: 3 };
    expect(addUp([level, level], 1)).toEqual({ passed: 4, failed: 3, skipped: 6 });
  });
});

describe("closingLine", () => {
  it.each([
    { outcome: { passed: 12, failed: 0, skipped: 0 }, want: "12 passed, 0 failed" },
    { outcome: { passed: 12, failed: 1, skipped: 4 }, want: "12 passed, 1 failed, 4 skipped" },
  ])("says $want", ({ outcome, want }) => {
    expect(closingLine(outcome)).toBe(want);
  });
});
