import { describe, expect, it } from "vitest";

import { addUp, closingLine, countReport } from "./summary.ts";

const green = { numPassedTests: 3, numFailedTests: 0, numPendingTests: 1, numTodoTests: 1, testResults: [] };
const passed = { fullName: "a holds", status: "passed", failureMessages: [] };
const message = [
  "x".repeat(4_001),
  "    at file:///project/node_modules/vitest/run.js:1:1",
  "    at process.processTicksAndRejections (node:internal/process/task_queues:104:5)",
  ...Array.from({ length: 120 }, (_, at) => `    at file:///project/src/a.ts:${at}`),
].join("\n");
const red = { fullName: "b holds", status: "failed", failureMessages: [message] };
const shown = [
  "a.test.ts: b holds",
  `  ${"x".repeat(4_000)}`,
  ...Array.from({ length: 119 }, (_, at) => `      at file:///project/src/a.ts:${at}`),
].join("\n");
const aFile = { name: "a.test.ts", status: "failed", message: "", assertionResults: [passed, red] };
const aBrokenFile = { name: "c.test.ts", status: "failed", message: "does not load", assertionResults: [] };

describe("countReport", () => {
  it.each([
    { name: "counts a green run", report: green, status: 0, want: { passed: 3, failed: 0, skipped: 2, failures: [] } },
    {
      name: "counts failed tests and names them with the first 120 lines of what they said, without foreign frames",
      report: { ...green, numFailedTests: 1, testResults: [aFile] },
      status: 1,
      want: { passed: 3, failed: 1, skipped: 2, failures: [shown] },
    },
    {
      name: "names a file that did not load",
      report: { ...green, testResults: [aBrokenFile] },
      status: 1,
      want: { passed: 3, failed: 1, skipped: 2, failures: ["c.test.ts\n  does not load"] },
    },
    {
      name: "counts a run that failed around its tests as one failure",
      report: green,
      status: 1,
      want: { passed: 3, failed: 1, skipped: 2, failures: ["vitest ended with status 1"] },
    },
    {
      name: "counts a run that was killed as one failure",
      report: green,
      status: null,
      want: { passed: 3, failed: 1, skipped: 2, failures: ["vitest ended with status null"] },
    },
    {
      name: "counts a run without a report as one failure",
      report: undefined,
      status: 0,
      want: { passed: 0, failed: 1, skipped: 0, failures: ["there is no report of the tests"] },
    },
  ])("$name", ({ report, status, want }) => {
    expect(countReport(report, status)).toEqual(want);
  });
});

describe("addUp", () => {
  it("sums the levels and counts each missing one as a failure", () => {
    const level = { passed: 2, failed: 1, skipped: 3, failures: ["a"] };
    expect(addUp([level, level], 1)).toEqual({ passed: 4, failed: 3, skipped: 6, failures: ["a", "a"] });
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
