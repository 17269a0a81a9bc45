import { mostPushes } from "../../api/v1alpha1/outcome.ts";
import { PromptOutcome } from "../../api/runtime/messages.ts";
import { type Asker, askGit, currentBranch, headOf, type Pushed, pushedSince } from "./git-state.ts";

/** A checkout before a prompt. */
export interface CheckoutState {
  head: string | undefined;
  /** git's records of pushes, as its reflogs have them. */
  pushes: ReadonlySet<string>;
}

/** A branch that was pushed, and the commit that it was pushed at. */
export type Push = Required<Pushed>;

/** git notes each push that the server took at the branch's remote-tracking reference. */
const askPushes = [
  "git",
  "log",
  "--walk-reflogs",
  "--all",
  "--grep-reflog=update by push",
  "--date=raw",
  "--format=%gD%x09%H",
];

/** What is to be known of a checkout before a prompt. */
export async function stateOf(asker: Asker, directory: string): Promise<CheckoutState> {
  const [head, pushes] = await Promise.all([headOf(asker, directory), readPushes(asker, directory)]);
  return { head, pushes: new Set(pushes) };
}

/**
 * The branches that were pushed since, each once: the one that is checked out first, then the latest. Of a push that git did
 * not note, as one to a URL, there is the commit that is checked out, where a branch of the server has it.
 */
export async function pushesSince(asker: Asker, directory: string, before: CheckoutState): Promise<Push[]> {
  const records = (await readPushes(asker, directory)).filter((record) => !before.pushes.has(record));
  const found = readRecords(records);
  if (found.length === 0) {
    const { branch, commit } = await pushedSince(asker, directory, before.head);
    return branch === undefined || commit === undefined ? [] : [{ branch, commit }];
  }
  const current = await currentBranch(asker, directory);
  const isCurrent = ({ branch }: Push): number => Number(branch === current);
  return found.toSorted((one, other) => isCurrent(other) - isCurrent(one)).slice(0, mostPushes);
}

async function readPushes(asker: Asker, directory: string): Promise<string[]> {
  const said = await askGit(asker, directory, askPushes);
  return (said ?? "").split("\n").filter((line) => line !== "");
}

/** Such as `refs/remotes/origin/fix/1@{1795828643 +0000}`, a tab and the commit. */
const record = /^refs\/remotes\/origin\/(.+)@\{(\d+) [+-]\d+\}\t([0-9a-f]+)$/;
const { branch: Branch, commit: Commit } = PromptOutcome.shape;

/** The last push of each branch, the latest first; without branches whose names are too long for the protocol. */
export function readRecords(records: readonly string[]): Push[] {
  const all = records.flatMap((text) => {
    const [, branch, seconds, commit] = record.exec(text) ?? [];
    const isUsable = branch !== undefined && Branch.safeParse(branch).success && Commit.safeParse(commit).success;
    return isUsable && commit !== undefined ? [{ branch, commit, seconds: Number(seconds) }] : [];
  });
  const latestFirst = all.toSorted((one, other) => other.seconds - one.seconds);
  const byBranch = new Map<string, Push>();
  for (const { branch, commit } of latestFirst) if (!byBranch.has(branch)) byBranch.set(branch, { branch, commit });
  return [...byBranch.values()];
}
