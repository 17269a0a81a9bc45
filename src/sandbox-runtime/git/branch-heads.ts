import { RepositoryCommit } from "../../api/runtime/build.ts";
import type { BundleRepository } from "../../api/runtime/bundle.ts";
import type { WorkContext } from "../work-context.ts";
import { askGit } from "./git-state.ts";

/** How long the look at one server may take, in milliseconds. */
const lookMs = 60_000;

/** The commits that the repositories' branches have on their servers; one that is not there, or cannot be asked for, is left out. */
export async function branchHeads(
  context: Pick<WorkContext, "agent" | "clock">,
  repositories: readonly BundleRepository[],
): Promise<RepositoryCommit[]> {
  const found = await Promise.all(
    repositories.map(async ({ name, url, branch }) => {
      const reference = `refs/heads/${branch}`;
      const command = ["git", "ls-remote", "--", url, reference];
      const heads = await askGit(context, context.agent.introduction.workspace, command, lookMs);
      const line = heads?.split("\n").find((one) => one.endsWith(`\t${reference}`));
      const { data } = RepositoryCommit.safeParse({ repository: name, commit: line?.split("\t")[0] });
      return data ? [data] : [];
    }),
  );
  return found.flat();
}

/** Whether a branch has another commit than is known. What could not be looked up is no reason by itself. */
export function changedFrom(known: readonly RepositoryCommit[], heads: readonly RepositoryCommit[]): boolean {
  return heads.some(({ repository, commit }) => known.find((one) => one.repository === repository)?.commit !== commit);
}
