import { join } from "node:path";
import type { BundleRepository } from "../../api/runtime/bundle.ts";

/** One command of a clone. */
export interface GitStep {
  command: readonly [string, string, ...string[]];
  cwd: string;
  env: Readonly<Record<string, string>>;
}

/** The commands that clone a repository below the workspace, in order. */
export function cloneSteps({ name, url, branch, commit, clone = {} }: BundleRepository, workspace: string): GitStep[] {
  const { depth, filter, submodules, lfs } = clone;
  const shallow = depth === undefined ? [] : [`--depth=${depth}`];
  const partial = filter === undefined ? [] : [`--filter=${filter}`];
  const unchecked = commit === undefined ? [] : ["--no-checkout"];
  const env = lfs === undefined ? {} : { GIT_LFS_SKIP_SMUDGE: "1" };
  const inCheckout = (...command: GitStep["command"]): GitStep => ({ command, cwd: join(workspace, name), env });
  const cloned = ["--branch", branch, ...shallow, ...partial, ...unchecked, "--", url, name];
  const steps: GitStep[] = [{ command: ["git", "clone", ...cloned], cwd: workspace, env }];
  // A shallow clone follows one branch, and a branch that the agent pushes would not be known as pushed.
  if (depth !== undefined) steps.push(inCheckout("git", "remote", "set-branches", "origin", "*"));
  if (commit !== undefined) {
    steps.push(inCheckout("git", "fetch", ...shallow, "origin", commit));
    steps.push(inCheckout("git", "checkout", "--quiet", "--detach", commit));
  }
  if (submodules === "Recursive")
    steps.push(inCheckout("git", "submodule", "update", "--init", "--recursive", ...shallow));
  if (lfs === "Fetch") {
    steps.push(inCheckout("git", "lfs", "install", "--local"));
    steps.push(inCheckout("git", "lfs", "pull"));
  }
  return steps;
}
