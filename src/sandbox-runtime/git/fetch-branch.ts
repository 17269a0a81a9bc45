import { checkoutOf, type WorkContext } from "../work-context.ts";
import type { BundleRepository } from "../../api/runtime/bundle.ts";
import { gitProblem } from "./git-problem.ts";
import { askGit } from "./git-state.ts";

/** How long a fetch may take, in milliseconds; boot goes on without it. */
const fetchMs = 60_000;

/**
 * Fetches the Repository's branch into a restored checkout and publishes how far the checkout is behind. Nothing else of
 * it is changed: branches, index and files stay as the agent left them.
 */
export async function fetchBranch(
  context: Pick<WorkContext, "agent" | "clock" | "publish" | "secrets">,
  repository: BundleRepository,
): Promise<void> {
  const message = await newsOf(context, repository);
  if (message === undefined) return;
  context.publish({ kind: "warning", scope: "restore", repository: repository.name, message });
}

async function newsOf(
  context: Pick<WorkContext, "agent" | "clock" | "secrets">,
  repository: BundleRepository,
): Promise<string | undefined> {
  const { branch, commit } = repository;
  // A session on a commit wants nothing newer.
  if (commit !== undefined) return undefined;
  const checkout = checkoutOf(context, repository);
  const fetched = `refs/remotes/origin/${branch}`;
  const fetch = ["git", "fetch", "--quiet", "--no-recurse-submodules", "origin", `+refs/heads/${branch}:${fetched}`];
  const problem = await gitProblem(context, checkout, fetch, fetchMs);
  if (problem !== undefined) {
    return `branch ${branch} could not be fetched (${problem}), so the restored checkout may be behind it`;
  }
  const counts = await askGit(context, checkout, ["git", "rev-list", "--count", "--left-right", `HEAD...${fetched}`]);
  const [own = 0, behind = 0] = counts?.split("\t").map(Number) ?? [];
  if (behind === 0) return undefined;
  const besides = own === 0 ? "" : ` and has ${commits(own)} that it has not`;
  return `the restored checkout is ${commits(behind)} behind origin/${branch}${besides}; it stays as it is`;
}

function commits(count: number): string {
  return count === 1 ? "1 commit" : `${count} commits`;
}
