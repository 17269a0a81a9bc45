import { conditionTypes, type PullRequest, type Session } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../conditions.ts";

/**
 * What the connector does when a person asks for the pull request of a branch: opens one, tries anew to open one that GitHub refused or
 * that waits for its next try, or reads the state of one that is open.
 */
export type PullRequestWish = "Open" | "TryAgain" | "ReadState";

/**
 * What asking for the pull request of a branch does now. `pullRequest` is that of {@link pullRequestOf}. Undefined where another Session
 * owns it: the connector follows what is asked on the Prompts of its owner alone.
 */
export function wishFor(pullRequest: PullRequest | undefined, session: Session): PullRequestWish | undefined {
  if (!pullRequest) return "Open";
  if (!isOwnedBy(pullRequest, session)) return undefined;
  return pullRequest.status?.number === undefined ? "TryAgain" : "ReadState";
}

/** The pull request of a branch that a Session's agent pushed: its own, or else that of another Session which pushed the branch before. */
export function pullRequestOf(
  pullRequests: readonly PullRequest[],
  session: Session,
  branch: string,
): PullRequest | undefined {
  const repository = primaryRepository(session);
  const ofBranch = pullRequests.filter(({ spec }) => spec.head === branch);
  const isOfRepository = ({ spec }: PullRequest): boolean =>
    repository === undefined || spec.repositoryRef.name === repository;
  return ofBranch.find((one) => isOwnedBy(one, session)) ?? ofBranch.find(isOfRepository);
}

/** Whether the connector has done what was asked for at this time, as far as it does it now. */
export function isFollowed(pullRequest: PullRequest, session: Session, requestedAt: string): boolean {
  if (!isOwnedBy(pullRequest, session)) return true;
  const { status } = pullRequest;
  if (!(Date.parse(status?.requestedAt ?? "") >= Date.parse(requestedAt))) return false;
  const { reason } = findCondition(status?.conditions, conditionTypes.ready) ?? {};
  return status?.number !== undefined || reason === "PullRequestRefused";
}

function isOwnedBy({ spec }: PullRequest, { metadata }: Session): boolean {
  return spec.sessionRef.uid === metadata.uid;
}

/** Agents report the branch of the first Repository; that of an Environment is known once the controller has noted it. */
export function primaryRepository({ spec, status }: Session): string | undefined {
  return status?.repositories?.[0] ?? spec.target.repositoryRefs?.[0]?.name;
}
