import type { BundleRepository } from "../../api/runtime/bundle.ts";
import { plainText } from "../../api/runtime/text.ts";
import { lastCharacters } from "../../lib/characters.ts";
import { sleep } from "../../lib/sleep.ts";
import { plainEnvironment } from "./environment.ts";
import { notNow } from "./minted-credentials.ts";
import { describeEnd, runWithEvents, type WorkContext } from "./work-context.ts";

/** Waits before a clone is tried again, in milliseconds: a server may be restarting. */
const againMs = [2_000, 8_000];
/** Of what git wrote to standard error, as much as explains a failure; in UTF-16 units. */
const keptUnits = 8_192;
const shownCharacters = 600;
/** What another try would not change. */
const finalErrors =
  /Authentication failed|could not read (Username|Password)|not found|does not exist|access denied|certificate|Host key verification failed|Permission denied/i;
/** git's own words and those of ssh that explain. */
const explaining =
  /^(fatal|error|remote|warning): |^No \S+ host key is known|^Host key verification failed|: Permission denied \(/;

/** Clones one repository; the problem in a sentence, or undefined when it is there. */
export async function clone(context: WorkContext, repository: BundleRepository): Promise<string | undefined> {
  const { agent, clock, log } = context;
  const startMs = clock.monotonicMs();
  let problem = await cloneOnce(context, repository);
  for (const waitMs of againMs) {
    if (problem === undefined || isFinal(problem) || agent.isClosed) break;
    await sleep(clock, waitMs);
    problem = await cloneOnce(context, repository);
  }
  const durationMs = Math.round(clock.monotonicMs() - startMs);
  log.info(problem === undefined ? "Cloned" : "Could not clone", { repository: repository.name, durationMs });
  return problem === undefined ? undefined : `repository ${repository.name}: ${problem}`;
}

function isFinal(problem: string): boolean {
  return finalErrors.test(problem) && !problem.includes(notNow);
}

async function cloneOnce(context: WorkContext, { name, url, branch }: BundleRepository): Promise<string | undefined> {
  const command = {
    command: ["git", "clone", "--branch", branch, "--", url, name],
    cwd: context.agent.introduction.workspace,
    env: { ...plainEnvironment },
    keepsChildren: false,
  };
  let errors = "";
  const end = await runWithEvents(context, command, { source: "clone", repository: name }, (text) => {
    errors = (errors + text).slice(-keptUnits);
  });
  if (end.code === 0) return undefined;
  const explained = errorLines(errors);
  return `git clone ${describeEnd(end)}${explained === "" ? "" : `: ${explained}`}`;
}

/** git's own last words on one line; what else the server told is in the session's events. */
function errorLines(text: string): string {
  const lines = plainText(text, keptUnits).split("\n");
  const errors = lines.filter((line) => explaining.test(line));
  return lastCharacters(errors.join("; "), shownCharacters);
}
