import type { Push } from "../../api/v1alpha1/outcome.ts";

/** A result, of an object or of the REST API; gateways of earlier versions name no pushes. */
interface Result {
  branch?: string | null | undefined;
  commit?: string | null | undefined;
  pushes?: readonly Push[] | undefined;
}

export interface PushedBranch {
  branch: string;
  /** Undefined for the result's own branch, which is of the session's first Repository. */
  repository?: string;
}

/** Each branch that a result names: its own first, then those that were pushed beside it. */
export function pushedBranches(result: Result | null | undefined): PushedBranch[] {
  const { branch, commit, pushes = [] } = result ?? {};
  const own = typeof branch === "string" && branch !== "" ? [{ branch }] : [];
  const ownAt = pushes.findIndex((push) => push.branch === branch && push.commit === (commit ?? push.commit));
  const others = pushes.filter((_, index) => index !== ownAt);
  return [...own, ...others.map((push) => ({ branch: push.branch, repository: push.repository }))];
}

export function branchWords({ branch, repository }: PushedBranch): string {
  return repository === undefined ? branch : `${branch} of ${repository}`;
}

/** For a cell of a table: one branch, and how many others there are. */
export function branchesInShort(result: Result | null | undefined): string {
  const [first, ...others] = pushedBranches(result);
  if (!first) return "";
  return others.length === 0 ? branchWords(first) : `${branchWords(first)} and ${others.length} more`;
}
