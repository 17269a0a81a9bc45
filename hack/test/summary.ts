/** How many tests of a level came out how. */
export interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
}

/** The parts of vitest's JSON report that are counted. */
export interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  numFailedTestSuites: number;
}

/**
 * Counts one run of vitest. A run can fail without a failed test (a setup or a file that does not load, an unhandled
 * rejection, no report at all): that counts as one failure, so that it is never green.
 */
export function countReport(report: VitestReport | undefined, status: number | null): Outcome {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const failed = report.numFailedTests;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && status !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/** Sums levels; `missing` levels that had to run and could not count as a failure each. */
export function addUp(outcomes: readonly Outcome[], missing: number): Outcome {
  const sum = (key: keyof Outcome): number => outcomes.reduce((total, outcome) => total + outcome[key], 0);
  return { passed: sum("passed"), failed: sum("failed") + missing, skipped: sum("skipped") };
}

/** The plain last line: `N passed, N failed`, and `, N skipped` when some were. */
export function closingLine({ passed, failed, skipped }: Outcome): string {
  const line = `${passed} passed, ${failed} failed`;
  return skipped > 0 ? `${line}, ${skipped} skipped` : line;
}
