import { describe, expect, it } from "vitest";

import { addUp, afterSecondTry, closingLines, countReport, type Outcome } from "./summary.ts";

const passed = { fullName: "a holds", status: "passed", failureMessages: [] };
const pending = { fullName: "d holds", status: "pending", failureMessages: [] };
const todo = { fullName: "e holds", status: "todo", failureMessages: null };
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
const aGreenFile = { name: "b.test.ts", status: "passed", message: "", assertionResults: [passed, pending, todo] };
const aFile = { name: "a.test.ts", status: "failed", message: "", assertionResults: [passed, red, pending] };
const aBrokenFile = { name: "c.test.ts", status: "failed", message: "does not load", assertionResults: [pending] };

const failedFile = {
  file: "a.test.ts",
  passed: 1,
  failed: 1,
  skipped: 1,
  names: ["b holds"],
  failures: [shown],
};
const brokenFile = {
  file: "c.test.ts",
  passed: 0,
  failed: 1,
  skipped: 1,
  names: ["the file itself"],
  failures: ["c.test.ts\n  does not load"],
};
const beside = ["beside the tests\n  Error: a", "beside the tests\n  Error: b"];
const none = { failedFiles: [], failures: [], flaky: [] };

describe("countReport", () => {
  it.each([
    { name: "counts a green run", files: [aGreenFile], status: 0, want: { ...none, passed: 1, failed: 0, skipped: 2 } },
    {
      name: "counts failed tests and names them with the first 120 lines of what they said, without foreign frames",
      files: [aGreenFile, aFile],
      status: 1,
      want: { ...none, passed: 2, failed: 1, skipped: 3, failedFiles: [failedFile] },
    },
    {
      name: "counts a file that did not load as one failure, also beside failed tests",
      files: [aFile, aBrokenFile],
      status: 1,
      want: { ...none, passed: 1, failed: 2, skipped: 2, failedFiles: [failedFile, brokenFile] },
    },
    {
      name: "counts a run that failed around its tests as one failure",
      files: [aGreenFile],
      status: 1,
      want: { ...none, passed: 1, failed: 1, skipped: 2, failures: ["vitest ended with status 1"] },
    },
    {
      name: "counts a run that was killed as one failure",
      files: [aGreenFile],
      status: null,
      want: { ...none, passed: 1, failed: 1, skipped: 2, failures: ["vitest ended with status null"] },
    },
  ])("$name", ({ files, status, want }) => {
    expect(countReport({ testResults: files }, [], status)).toEqual(want);
  });

  it("counts a run without a report as one failure", () => {
    const want = { ...none, passed: 0, failed: 1, skipped: 0, failures: ["there is no report of the tests"] };
    expect(countReport(undefined, [], 0)).toEqual(want);
  });

  it.each([
    { name: "a green file", files: [aGreenFile], want: { passed: 1, failed: 2, skipped: 2 } },
    { name: "a failed test", files: [aFile], want: { passed: 1, failed: 3, skipped: 1, failedFiles: [failedFile] } },
    {
      name: "nothing that was written down",
      files: undefined,
      want: { passed: 0, failed: 3, skipped: 0, failures: [...beside, "there is no report of the tests"] },
    },
  ])("counts each error beside $name as a failure", ({ files, want }) => {
    const report = files && { testResults: files };
    expect(countReport(report, ["Error: a", "Error: b"], 1)).toEqual({ ...none, failures: beside, ...want });
  });
});

describe("afterSecondTry", () => {
  const first: Outcome = { ...none, passed: 10, failed: 2, skipped: 4, failedFiles: [failedFile, brokenFile] };
  const second = (counts: Partial<Outcome>): Outcome => ({ ...none, passed: 2, failed: 0, skipped: 1, ...counts });

  it("counts a file that passes then as it came out then, and names what had failed", () => {
    expect(afterSecondTry(first, failedFile, second({}))).toEqual({
      passed: 11,
      failed: 1,
      skipped: 4,
      failedFiles: [brokenFile],
      failures: [],
      flaky: ["a.test.ts, b holds"],
    });
  });

  it.each([
    { what: "fails again", counts: { passed: 1, failed: 1 } },
    { what: "runs no test then", counts: { passed: 0 } },
  ])("leaves the failure of a file that $what", ({ counts }) => {
    expect(afterSecondTry(first, failedFile, second(counts))).toEqual(first);
  });

  it("leaves what failed beside the tests", () => {
    const one = countReport({ testResults: [aFile] }, ["Error: a"], 1);
    const after = afterSecondTry(one, one.failedFiles[0]!, second({}));
    expect(after).toMatchObject({ failed: 1, failures: beside.slice(0, 1), flaky: ["a.test.ts, b holds"] });
  });
});

describe("addUp", () => {
  const level: Outcome = { passed: 2, failed: 1, skipped: 3, failedFiles: [failedFile], failures: ["a"], flaky: ["f"] };

  it("sums the levels and counts each missing one as a failure", () => {
    expect(addUp([level, level], 1)).toEqual({
      passed: 4,
      failed: 3,
      skipped: 6,
      failedFiles: [failedFile, failedFile],
      failures: ["a", "a"],
      flaky: ["f", "f"],
    });
  });

  it.each([
    { flaky: 3, failed: 0, failures: [] },
    { flaky: 4, failed: 1, failures: ["4 files are flaky, and no more than 3 may be"] },
  ])("counts $failed failures for $flaky flaky files", ({ flaky, failed, failures }) => {
    const one: Outcome = { ...none, passed: 1, failed: 0, skipped: 0, flaky: ["f"] };
    expect(
      addUp(
        Array.from({ length: flaky }, () => one),
        0,
      ),
    ).toMatchObject({ failed, failures });
  });
});

describe("closingLines", () => {
  it.each([
    { counts: { passed: 12, failed: 0, skipped: 0 }, want: ["12 passed, 0 failed"] },
    {
      counts: { passed: 12, failed: 2, skipped: 4, failedFiles: [failedFile], failures: ["vitest"], flaky: ["g, h"] },
      want: [`FAILED ${shown}`, "FAILED vitest", "flaky: g, h", "12 passed, 2 failed, 4 skipped"],
    },
  ])("end with $want", ({ counts, want }) => {
    expect(closingLines({ ...none, ...counts })).toEqual(want);
  });
});
