/** How many tests of a level came out how. */
export interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
  /** Each failed test or file with the first lines of what it said, for the end of the output. */
  failures: string[];
}

/** The parts of vitest's JSON report that are counted. */
export interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] | null }[];
  }[];
}

const linesOfFailure = 120;
const charactersOfLine = 4_000;
/** A line of a stack that is not in a file of ours. */
const foreignFrame = /^\s+at .*(node_modules|node:internal)/;

/**
 * Counts one run of vitest. A run can fail without a failed test (a setup or a file that does not load, an unhandled
 * rejection, no report at all): that counts as one failure, so that it is never green.
 */
export function countReport(report: VitestReport | undefined, status: number | null): Outcome {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0, failures: ["there is no report of the tests"] };
  const failed = report.numFailedTests;
  const failures = failuresOf(report);
  const unexplained = status !== 0 && failures.length === 0 ? [`vitest ended with status ${status}`] : [];
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && status !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
    failures: [...failures, ...unexplained],
  };
}

function failuresOf({ testResults }: VitestReport): string[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === "failed");
    if (tests.length === 0 && status === "failed") return [failure(name, message)];
    return tests.map((test) => failure(`${name}: ${test.fullName}`, test.failureMessages?.[0] ?? ""));
  });
}

function failure(what: string, message: string): string {
  const lines = message.split("\n").filter((line) => !foreignFrame.test(line));
  const shown = lines.slice(0, linesOfFailure).map((line) => `  ${line.slice(0, charactersOfLine)}`);
  return [what, ...shown].join("\n");
}

/** Sums levels; `missing` levels that had to run and could not count as a failure each. */
export function addUp(outcomes: readonly Outcome[], missing: number): Outcome {
  const sum = (key: "passed" | "failed" | "skipped"): number =>
    outcomes.reduce((total, outcome) => total + outcome[key], 0);
  return {
    passed: sum("passed"),
    failed: sum("failed") + missing,
    skipped: sum("skipped"),
    failures: outcomes.flatMap(({ failures }) => failures),
  };
}

/** The plain last line: `N passed, N failed`, and `, N skipped` when some were. */
export function closingLine({ passed, failed, skipped }: Omit<Outcome, "failures">): string {
  const line = `${passed} passed, ${failed} failed`;
  return skipped > 0 ? `${line}, ${skipped} skipped` : line;
}
