import { PromptOutcome } from "../../api/runtime/messages.ts";
import type { Clock } from "../../lib/clock.ts";
import type { AgentChannel } from "../local/agent-channel.ts";
import { plainEnvironment } from "./environment.ts";

export interface Pushed {
  branch?: string;
  commit?: string;
}

interface Asker {
  agent: Pick<AgentChannel, "run">;
  clock: Pick<Clock, "setTimeout">;
}

/** All heads of a large repository; more output than this is not looked at, in UTF-16 units. */
const mostOutput = 1_048_576;
/** How long one question to git, or to its server, may take, in milliseconds. */
const limitMs = 30_000;

/** The commit that is checked out; undefined when there is none. */
export async function headOf(asker: Asker, directory: string): Promise<string | undefined> {
  return firstLine(await ask(asker, directory, ["git", "rev-parse", "--verify", "--quiet", "HEAD"]));
}

/**
 * Branch and commit that were pushed since `before`: the commit checked out now, if it is another one and a branch of
 * the server is at it, preferably the branch of the same name.
 */
export async function pushedSince(asker: Asker, directory: string, before: string | undefined): Promise<Pushed> {
  const commit = await headOf(asker, directory);
  if (commit === undefined || commit === before || !isCommit(commit)) return {};
  const current = firstLine(await ask(asker, directory, ["git", "symbolic-ref", "--quiet", "--short", "HEAD"]));
  const heads = await ask(asker, directory, ["git", "ls-remote", "--heads", "origin"]);
  const branches = branchesAt(heads ?? "", commit);
  const branch = branches.find((name) => name === current) ?? branches[0];
  return branch === undefined ? {} : { branch, commit };
}

/** What the protocol admits. The server chooses the names: a longer one, sent on, would be refused at each repeat. */
const isBranch = (name: string): boolean => PromptOutcome.shape.branch.safeParse(name).success;
const isCommit = (id: string): boolean => PromptOutcome.shape.commit.safeParse(id).success;

/** Names of the branches that `git ls-remote` shows at a commit, without those too long for the protocol. */
export function branchesAt(heads: string, commit: string): string[] {
  return heads.split("\n").flatMap((line) => {
    const [id, reference = ""] = line.split("\t");
    if (id !== commit || !reference.startsWith("refs/heads/")) return [];
    const name = reference.slice("refs/heads/".length);
    return isBranch(name) ? [name] : [];
  });
}

/** Standard output of a git command, or undefined when it failed or took too long. */
async function ask({ agent, clock }: Asker, cwd: string, command: string[]): Promise<string | undefined> {
  let output = "";
  const running = agent.run({ command, cwd, env: { ...plainEnvironment }, keepsChildren: false }, (stream, text) => {
    if (stream === "stdout" && output.length < mostOutput) output += text;
  });
  const timer = clock.setTimeout(() => running.kill(), limitMs);
  const { code } = await running.ended;
  timer.cancel();
  return code === 0 ? output : undefined;
}

function firstLine(text: string | undefined): string | undefined {
  const line = text?.split("\n")[0]?.trim();
  return line === "" ? undefined : line;
}
