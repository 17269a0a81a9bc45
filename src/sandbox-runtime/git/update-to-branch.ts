import type { BundleRepository } from "../../api/runtime/bundle.ts";
import { checkoutOf, type WorkContext } from "../work-context.ts";
import { askGit } from "./git-state.ts";

/** How long a step may take, in milliseconds; boot goes on without it. */
const stepMs = 120_000;

/**
 * Brings a checkout of a prebuilt image to what its branch has now, as a clone would have it. Files that are not tracked
 * stay: setup.sh made them. Says whether it could.
 */
export async function updateToBranch(
  context: Pick<WorkContext, "agent" | "clock" | "publish">,
  repository: BundleRepository,
): Promise<boolean> {
  const { branch, name } = repository;
  const checkout = checkoutOf(context, repository);
  for (const command of updateSteps(repository)) {
    if ((await askGit(context, checkout, command, stepMs)) !== undefined) continue;
    const message = `branch ${branch} could not be updated (${command.slice(0, 2).join(" ")}); the checkout is that of the prebuilt image`;
    context.publish({ kind: "warning", scope: "restore", repository: name, message });
    return false;
  }
  return true;
}

function updateSteps({ url, branch, clone = {} }: BundleRepository): string[][] {
  const { depth, submodules, lfs } = clone;
  const shallow = depth === undefined ? [] : [`--depth=${depth}`];
  const fetched = `refs/remotes/origin/${branch}`;
  return [
    ["git", "remote", "set-url", "origin", url],
    ["git", "fetch", "--quiet", ...shallow, "origin", `+refs/heads/${branch}:${fetched}`],
    ["git", "checkout", "--quiet", "--force", "-B", branch, fetched],
    ...(submodules === "Recursive" ? [["git", "submodule", "update", "--init", "--recursive", ...shallow]] : []),
    ...(lfs === "Fetch" ? [["git", "lfs", "pull"]] : []),
  ];
}
