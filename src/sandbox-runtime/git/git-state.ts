import { PromptOutcome } from "../../api/runtime/messages.ts";
import type { Clock } from "../../lib/clock.ts";
import type { AgentChannel } from "../local/agent-channel.ts";
import { plainEnvironment } from "../boot/environment.ts";

export interface Pushed {
  branch?: string;
  commit?: string;
}

export interface Asker {
  agent: Pick<AgentChannel, "run">;
  clock: Pick<Clock, "setTimeout">;
}

/** Room for all branches of a large repository, in UTF-16 units; further output is ignored. */
const keptUnits = 1_048_576;
/** How long one git command may usually take, in milliseconds. */
const limitMs = 30_000;

/** The commit that is checked out; undefined when there is none. */
export async function headOf(asker: Asker, directory: string): Promise<string | undefined> {
  return firstLine(await askGit(asker, directory, ["git", "rev-parse", "--verify", "--quiet", "HEAD"]));
}

/** The branch that is checked out; undefined when there is none. */
export async function currentBranch(asker: Asker, directory: string): Promise<string | undefined> {
  return firstLine(await askGit(asker, directory, ["git", "symbolic-ref", "--quiet", "--short", "HEAD"]));
}

/**
 * The commit that is checked out, when it is not `before` and a branch of the server points to it, and that branch:
 * preferably the one of the checked-out branch's name.
 */
export async function pushedSince(asker: Asker, directory: string, before: string | undefined): Promise<Pushed> {
  const commit = await headOf(asker, directory);
  if (commit === undefined || commit === before || !isCommit(commit)) return {};
  const current = await currentBranch(asker, directory);
  const heads = await askGit(asker, directory, ["git", "ls-remote", "--heads", "origin"]);
  const branches = branchesAt(heads ?? "", commit);
  const branch = branches.find((name) => name === current) ?? branches[0];
  return branch === undefined ? {} : { branch, commit };
}

/** The gateway would refuse a report with a longer name each time that it is sent, and the git server chooses the names. */
const isBranch = (name: string): boolean => PromptOutcome.shape.branch.safeParse(name).success;
const isCommit = (id: string): boolean => PromptOutcome.shape.commit.safeParse(id).success;

/** Names of the branches that `git ls-remote` shows at a commit, without those that are too long for the protocol. */
export function branchesAt(heads: string, commit: string): string[] {
  return heads.split("\n").flatMap((line) => {
    const [id, reference = ""] = line.split("\t");
    if (id !== commit || !reference.startsWith("refs/heads/")) return [];
    const name = reference.slice("refs/heads/".length);
    return isBranch(name) ? [name] : [];
  });
}

/** Standard output of a git command, or undefined when it failed or took longer than `maxMs`. */
export async function askGit(
  { agent, clock }: Asker,
  cwd: string,
  command: string[],
  maxMs = limitMs,
): Promise<string | undefined> {
  let output = "";
  const running = agent.run({ command, cwd, env: { ...plainEnvironment }, keepsChildren: false }, (stream, text) => {
    if (stream === "stdout" && output.length < keptUnits) output += text;
  });
  const timer = clock.setTimeout(() => running.kill(), maxMs);
  const { code } = await running.ended;
  timer.cancel();
  return code === 0 ? output : undefined;
}

function firstLine(text: string | undefined): string | undefined {
  const line = text?.split("\n")[0]?.trim();
  return line === "" ? undefined : line;
}
