import type { ListedPullRequest } from "../calls.ts";

export type PullRequestState = "Draft" | "Open" | "Merged" | "Closed";

/** A pull request's state with the time of the change at GitHub that it is of. */
export interface ObservedState {
  state: PullRequestState;
  updateTime: string;
  /** Of a merged one. */
  mergeTime?: string | undefined;
}

/** GitHub says of a merged one that it is closed, and of a draft that was closed still that it is a draft. */
export function observedState({
  state,
  draft,
  merged_at: mergeTime,
  updated_at: updateTime,
}: Pick<ListedPullRequest, "state" | "draft" | "merged_at" | "updated_at">): ObservedState {
  if (mergeTime) return { state: "Merged", updateTime, mergeTime };
  if (state !== "open") return { state: "Closed", updateTime };
  return { state: draft ? "Draft" : "Open", updateTime };
}

/**
 * The state after one more observation: events come late and out of order, and an older one moves nothing back. A merge stays,
 * since GitHub's times are whole seconds and what is of the same second cannot be told apart.
 */
export function laterState(known: ObservedState | undefined, observed: ObservedState): ObservedState {
  if (!known) return observed;
  const isOlder = Date.parse(observed.updateTime) < Date.parse(known.updateTime);
  return isOlder || (known.state === "Merged" && observed.state !== "Merged") ? known : observed;
}
