import type { BundleRepository } from "../../api/runtime/bundle.ts";
import { checkoutOf, type WorkContext } from "../work-context.ts";
import { gitProblem } from "./git-problem.ts";
import { headOf } from "./git-state.ts";

/** How long a step may take, in milliseconds; boot goes on without it. */
const stepMs = 120_000;

type Context = Pick<WorkContext, "agent" | "clock" | "publish" | "secrets">;

/**
 * Brings a checkout of a prebuilt image to what its branch has now, as a clone would have it. Files that are not tracked
 * stay: setup.sh made them. Where that fails, all of it is brought back to the image's commit, so that there is never new code
 * beside an old library. Says whether it is at its branch.
 */
export async function updateToBranch(context: Context, repository: BundleRepository): Promise<boolean> {
  const { branch, name } = repository;
  const checkout = checkoutOf(context, repository);
  const before = await headOf(context, checkout);
  const problem = await take(context, checkout, updateSteps(repository));
  if (problem === undefined) return true;
  const lost = before === undefined ? undefined : await take(context, checkout, backSteps(repository, before));
  const now =
    lost === undefined
      ? "the checkout is that of the prebuilt image"
      : `the checkout may be in part that of the prebuilt image (${lost})`;
  const message = `branch ${branch} could not be updated (${problem}); ${now}`;
  context.publish({ kind: "warning", scope: "restore", repository: name, message });
  return false;
}

/** The first problem; the steps after it are not taken. */
async function take(context: Context, checkout: string, steps: readonly string[][]): Promise<string | undefined> {
  for (const command of steps) {
    const problem = await gitProblem(context, checkout, command, stepMs);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function updateSteps({ url, branch, clone = {} }: BundleRepository): string[][] {
  const { depth, submodules, lfs } = clone;
  const shallow = depth === undefined ? [] : [`--depth=${depth}`];
  const fetched = `refs/remotes/origin/${branch}`;
  return [
    ["git", "remote", "set-url", "origin", url],
    ["git", "fetch", "--quiet", "--no-recurse-submodules", ...shallow, "origin", `+refs/heads/${branch}:${fetched}`],
    ["git", "checkout", "--quiet", "--force", "-B", branch, fetched],
    ...(submodules === "Recursive" ? submoduleSteps(shallow) : []),
    ...(lfs === "Fetch" ? [["git", "lfs", "pull"]] : []),
  ];
}

/** Nothing of it needs the server, as the image has it all. */
function backSteps({ branch, clone: { submodules } = {} }: BundleRepository, commit: string): string[][] {
  return [
    ["git", "checkout", "--quiet", "--force", "-B", branch, commit],
    ...(submodules === "Recursive" ? submoduleSteps(["--no-fetch"]) : []),
  ];
}

/** A submodule may have moved to another URL, and setup.sh may have written into it. */
function submoduleSteps(more: readonly string[]): string[][] {
  return [
    ["git", "submodule", "--quiet", "sync", "--recursive"],
    ["git", "submodule", "--quiet", "update", "--init", "--recursive", "--force", ...more],
  ];
}
