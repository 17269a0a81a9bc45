import type { BundleRepository } from "../../api/runtime/bundle.ts";
import { lastCharacters } from "../../lib/characters.ts";
import { sleep } from "../../lib/sleep.ts";
import { isFinalProblem } from "./clone-problem.ts";
import { cloneSteps, type GitStep } from "./clone-steps.ts";
import { plainEnvironment } from "./environment.ts";
import { defaultBranch } from "../git/default-branch.ts";
import { describeEnd } from "../local/describe-end.ts";
import { ErrorTail } from "../output/error-tail.ts";
import { runWithEvents } from "../output/run-with-events.ts";
import type { WorkContext } from "../work-context.ts";

/** Waits between tries, in milliseconds: the server may be restarting. */
const againMs = [2_000, 8_000];
/** Of the explanation. */
const shownCharacters = 600;
/**
 * Lines of git, git-lfs and ssh that explain nothing: what goes on, and advice for who sits before it. What a server says, such as
 * `ERROR: Repository not found.` or `batch response: …`, has no form of its own.
 */
const noise =
  /^(?:remote: ?)?(?:(?:Enumerating|Counting|Compressing|Receiving|Resolving|Unpacking|Updating|Downloading|Checking out|Filtering|Total) |hint: |=+$|$)|^(?:Cloning into |Submodule |From |Note: |HEAD is now at |fetch: |Warning: Permanently added |Please make sure you have the correct access rights|and the repository exists\.|\* )/;

/** What git says of a branch that the server does not have. */
const lacksBranch = /Remote branch .+ not found/;

/** Clones one repository; the problem for people, or undefined on success. */
export async function clone(context: WorkContext, repository: BundleRepository): Promise<string | undefined> {
  const { clock, log } = context;
  const startMs = clock.monotonicMs();
  let problem: string | undefined;
  for (const step of cloneSteps(repository, context.agent.introduction.workspace)) {
    problem = await take(context, repository, step);
    if (problem !== undefined) break;
  }
  if (problem !== undefined && lacksBranch.test(problem)) problem += await defaultBranchHint(context, repository);
  const durationMs = Math.round(clock.monotonicMs() - startMs);
  log.info(problem === undefined ? "Cloned" : "Could not clone", { repository: repository.name, durationMs });
  return problem === undefined ? undefined : `repository ${repository.name}: ${problem}`;
}

/** A step is tried again by itself, since git clones into no folder that is there. */
async function take(context: WorkContext, repository: BundleRepository, step: GitStep): Promise<string | undefined> {
  let problem = await takeOnce(context, repository, step);
  for (const waitMs of againMs) {
    if (problem === undefined || isFinalProblem(problem) || context.agent.isClosed) break;
    await sleep(context.clock, waitMs);
    problem = await takeOnce(context, repository, step);
  }
  return problem;
}

async function takeOnce(
  context: WorkContext,
  { name }: BundleRepository,
  { command, cwd, env }: GitStep,
): Promise<string | undefined> {
  const errors = new ErrorTail(context.secrets);
  const run = { command: [...command], cwd, env: { ...plainEnvironment, ...env }, keepsChildren: false };
  const end = await runWithEvents(context, run, { source: "clone", repository: name }, (stream, text) => {
    if (stream === "stderr") errors.take(text);
  });
  if (end.code === 0) return undefined;
  const explained = explanationOf(errors.lines());
  return `${command.slice(0, 2).join(" ")} ${describeEnd(end)}${explained === "" ? "" : `: ${explained}`}`;
}

/** Which branch people may have meant, such as `master`; empty where the server does not say. */
async function defaultBranchHint(context: WorkContext, { name, url }: BundleRepository): Promise<string> {
  const branch = await defaultBranch(context, url);
  return branch === undefined
    ? ""
    : `; the server's default branch is ${branch}: set spec.branch of Repository ${name}`;
}

/** The last lines that explain as one line, or the last line where none does; all output is among the session's events. */
function explanationOf(lines: readonly string[]): string {
  const explaining = lines.filter((line) => !noise.test(line));
  return lastCharacters((explaining.length > 0 ? explaining : lines.slice(-1)).join("; "), shownCharacters);
}
