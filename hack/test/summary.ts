/** How many tests came out how. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** A test file of which something failed. */
export interface FailedFile extends Counts {
  file: string;
  /** Names of its failed tests; its own where it did not load. */
  names: string[];
  /** Each failed test with the first lines of what it said, for the end of the output. */
  failures: string[];
}

/** What came of one run of vitest. */
export interface Outcome extends Counts {
  failedFiles: FailedFile[];
  /** What failed beside test files. */
  failures: string[];
  /** Files that failed, and passed when they were run once more by themselves, each with what had failed. */
  flaky: string[];
}

/** The parts of vitest's JSON report that are counted. */
export interface VitestReport {
  testResults: FileReport[];
}

interface FileReport {
  name: string;
  status: string;
  message: string;
  assertionResults: { fullName: string; status: string; failureMessages: string[] | null }[];
}

/** So many flaky files a run passes with. */
export const mostFlaky = 3;

const linesOfFailure = 120;
const charactersOfLine = 4_000;
/** A line of a stack that is not in a file of ours. */
const foreignFrame = /^\s+at .*(node_modules|node:internal)/;

/**
 * Counts one run of vitest. A run can fail without a failed test (a setup or a file that does not load, no report at all): that counts as one failure, so that it
 * is never green. Each of the `errors` that came beside tests (an unhandled rejection) is a failure, which a second try of a file does not take away.
 */
export function countReport(
  report: VitestReport | undefined,
  errors: readonly string[],
  status: number | null,
): Outcome {
  const beside = errors.map((text) => failure("beside the tests", text));
  const nothing = { passed: 0, skipped: 0, failedFiles: [], flaky: [] };
  if (report === undefined) {
    const failures = [...beside, "there is no report of the tests"];
    return { ...nothing, failed: failures.length, failures };
  }
  const counts = sum(report.testResults.map(countFile));
  const failed = counts.failed + beside.length;
  const failedFiles = report.testResults.filter(({ status: is }) => is === "failed").map(failedFile);
  if (status === 0 || failed > 0) return { ...counts, failed, failedFiles, failures: beside, flaky: [] };
  return { ...counts, failed: 1, failedFiles, failures: [`vitest ended with status ${status}`], flaky: [] };
}

function countFile({ status, assertionResults }: FileReport): Counts {
  const count = (is: string): number => assertionResults.filter((test) => test.status === is).length;
  const [passed, failed] = [count("passed"), count("failed")];
  const isBroken = status === "failed" && failed === 0;
  return { passed, failed: isBroken ? 1 : failed, skipped: assertionResults.length - passed - failed };
}

function failedFile(report: FileReport): FailedFile {
  const { name: file, message, assertionResults } = report;
  const tests = assertionResults.filter((test) => test.status === "failed");
  const failures = tests.map((test) => failure(`${file}: ${test.fullName}`, test.failureMessages?.[0] ?? ""));
  return {
    file,
    ...countFile(report),
    names: tests.length === 0 ? ["the file itself"] : tests.map(({ fullName }) => fullName),
    failures: tests.length === 0 ? [failure(file, message)] : failures,
  };
}

function failure(what: string, message: string): string {
  const lines = message.split("\n").filter((line) => !foreignFrame.test(line));
  const shown = lines.slice(0, linesOfFailure).map((line) => `  ${line.slice(0, charactersOfLine)}`);
  return [what, ...shown].join("\n");
}

/** The outcome when one of its failed files was run once more by itself: where that passed, the file is flaky and counts as it came out then. */
export function afterSecondTry(outcome: Outcome, first: FailedFile, second: Outcome): Outcome {
  if (second.failed > 0 || second.passed === 0) return outcome;
  const less = (key: keyof Counts): number => outcome[key] - first[key] + second[key];
  return {
    ...outcome,
    passed: less("passed"),
    failed: less("failed"),
    skipped: less("skipped"),
    failedFiles: outcome.failedFiles.filter((one) => one !== first),
    flaky: [...outcome.flaky, `${first.file}, ${first.names.join("; ")}`],
  };
}

/** Sums what several runs came to; `missing` levels that had to run and could not count as a failure each. */
export function addUp(outcomes: readonly Outcome[], missing: number): Outcome {
  const { passed, failed, skipped } = sum(outcomes);
  const flaky = outcomes.flatMap((one) => one.flaky);
  const tooFlaky =
    flaky.length > mostFlaky ? [`${flaky.length} files are flaky, and no more than ${mostFlaky} may be`] : [];
  return {
    passed,
    failed: failed + missing + tooFlaky.length,
    skipped,
    failedFiles: outcomes.flatMap((one) => one.failedFiles),
    failures: [...outcomes.flatMap((one) => one.failures), ...tooFlaky],
    flaky,
  };
}

function sum(counts: readonly Counts[]): Counts {
  const of = (key: keyof Counts): number => counts.reduce((total, one) => total + one[key], 0);
  return { passed: of("passed"), failed: of("failed"), skipped: of("skipped") };
}

/** What a run ends with: what failed, what is flaky, and the plain last line, `N passed, N failed`, with `, N skipped` when some were. */
export function closingLines({ passed, failed, skipped, failedFiles, failures, flaky }: Outcome): string[] {
  const all = [...failedFiles.flatMap((file) => file.failures), ...failures];
  const line = `${passed} passed, ${failed} failed`;
  return [
    ...all.map((one) => `FAILED ${one}`),
    ...flaky.map((one) => `flaky: ${one}`),
    skipped > 0 ? `${line}, ${skipped} skipped` : line,
  ];
}
