import { spawn, type SpawnOptions } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

import { addUp, afterSecondTry, countReport, mostFlaky, type Outcome, type VitestReport } from "./summary.ts";
import { errorsVariable } from "./unhandled-errors.ts";

/** Taking a cluster down may last longer than the 10 s that vitest grants by itself. */
const tearDownLimitMs = 180_000;

/** A run of vitest. */
export interface VitestRun {
  projects: readonly string[];
  /** Makes a command of vitest's that runs it with something of its own, such as a network. */
  around?: ((command: readonly string[]) => readonly string[]) | undefined;
}

/**
 * Starts vitest several times beside each other, each time for some projects and with its usual output, names their slowest files and counts their tests. In runs
 * of whole projects each file that fails is run once more by itself at the end, unless there are more of them than may be flaky.
 */
export async function runProjects(
  root: string,
  runs: readonly VitestRun[],
  args: readonly string[],
): Promise<Outcome[]> {
  const ended = await Promise.all(runs.map(async (one) => ({ one, outcome: await runOnce(root, one, args) })));
  const outcomes = ended.map(({ outcome }) => outcome);
  if (args.length > 0 || addUp(outcomes, 0).failedFiles.length > mostFlaky) return outcomes;
  const judged: Outcome[] = [];
  for (const { one, outcome: first } of ended) {
    let outcome = first;
    for (const failed of first.failedFiles) {
      console.log(`once more by itself: ${failed.file}`);
      outcome = afterSecondTry(outcome, failed, await runOnce(root, one, [failed.file]));
    }
    judged.push(outcome);
  }
  return judged;
}

async function runOnce(root: string, { projects, around }: VitestRun, args: readonly string[]): Promise<Outcome> {
  console.log(`\n${projects.map((project) => `test:${project}`).join(", ")}`);
  const folder = await mkdtemp(join(tmpdir(), "runwright-report-"));
  const report = join(folder, "report.json");
  const errors = join(folder, "errors.json");
  const ours = ["slowest-files.ts", "unhandled-errors.ts"].map((file) => join(import.meta.dirname, file));
  const named = ["default", "json", ...ours];
  const reporters = [...named.map((name) => `--reporter=${name}`), `--outputFile.json=${report}`];
  try {
    // A level that is asked for one file of another level has none, which is no failure; a level of its own always has.
    const mayBeEmpty = args.length > 0 ? ["--passWithNoTests"] : [];
    const options = [
      ...projects.flatMap((project) => ["--project", project]),
      ...mayBeEmpty,
      `--teardownTimeout=${tearDownLimitMs}`,
    ];
    const command = ["vitest", "run", ...options, ...reporters, ...args];
    const env = { ...process.env, [errorsVariable]: errors };
    const status = await runToEnd(around?.(command) ?? command, { cwd: root, env });
    return countReport(await readReport(report, root), await readErrors(errors), status);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runToEnd([program = "", ...args]: readonly string[], options: SpawnOptions): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: "inherit" });
    child.on("error", reject);
    child.on("exit", resolve);
  });
}

/** The report with paths from the project's root; undefined where there is none. */
async function readReport(path: string, root: string): Promise<VitestReport | undefined> {
  try {
    const { testResults } = JSON.parse(await readFile(path, "utf8")) as VitestReport;
    return { testResults: testResults.map((one) => ({ ...one, name: relative(root, one.name) })) };
  } catch {
    return undefined;
  }
}

/** What went wrong beside the tests; none where vitest did not come to its end. */
async function readErrors(path: string): Promise<string[]> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as string[];
  } catch {
    return [];
  }
}
