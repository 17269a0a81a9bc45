import {
  conditionTypes,
  type PullRequest,
  type PullRequestStatus,
  type Reason,
  reasonMeanings,
} from "../../../api/v1alpha1/index.ts";
import { findCondition, withMarks } from "../../../domain/conditions.ts";
import { firstCharacters } from "../../../lib/characters.ts";
import { nextTryAfter } from "../../next-try.ts";
import type { ProviderError } from "../../provider-error.ts";
import type { ListedPullRequest } from "../calls.ts";
import type { OpenedPullRequest } from "./open.ts";
import { laterState, type ObservedState, observedState } from "./state.ts";

/** Whether it is still to be opened; `request` is that of a person's that was not followed yet, which a refusal does not outlast. */
export function isToBeOpened({ metadata, status }: PullRequest, request?: string): boolean {
  if (metadata.deletionTimestamp !== undefined || status?.number !== undefined) return false;
  const { reason } = findCondition(status?.conditions, conditionTypes.ready) ?? {};
  return request !== undefined || reason !== "PullRequestRefused";
}

/** OWNER/NAME of its repository, which may have been renamed since. */
export function repositoryOf({ spec, status }: PullRequest): string {
  return status?.repository ?? spec.repository;
}

/** The status with the name that an event has for its repository; undefined where that is known. */
export function renamedStatus(pullRequest: PullRequest, name: string | undefined): PullRequestStatus | undefined {
  const { spec, status } = pullRequest;
  const repository = name?.toLowerCase();
  if (repository === undefined || repository === repositoryOf(pullRequest)) return undefined;
  return { ...status, repository: repository === spec.repository ? undefined : repository };
}

/** The status before a call that is to open it: after a crash its outcome is not known. A request begins the tries anew. */
export function callingStatus(pullRequest: PullRequest, request: string | undefined, now: Date): PullRequestStatus {
  const { status } = pullRequest;
  const calling: PullRequestStatus = {
    ...status,
    callTime: status?.callTime ?? now.toISOString(),
    ...(request !== undefined && { requestedAt: request, tries: undefined, nextTryTime: undefined }),
  };
  const message = "The pull request is being opened";
  return marked(pullRequest, calling, { reason: "PullRequestPending", message }, now);
}

export function openedStatus(
  pullRequest: PullRequest,
  { pullRequest: opened, isAdopted }: OpenedPullRequest,
  now: Date,
): PullRequestStatus {
  const status: PullRequestStatus = {
    conditions: pullRequest.status?.conditions,
    requestedAt: pullRequest.status?.requestedAt,
    repositoryID: opened.base.repo.id,
    number: opened.number,
    url: firstCharacters(opened.html_url, 1_024),
    ...shown(observedState(opened)),
  };
  const reason = isAdopted ? "PullRequestAdopted" : "PullRequestOpened";
  return marked(pullRequest, status, { reason, message: reasonMeanings[reason].means }, now);
}

/** The status after a call that failed; `before` is that from before the call. */
export function failedStatus(
  pullRequest: PullRequest,
  { before, error }: { before: PullRequestStatus | undefined; error: ProviderError },
  now: Date,
): PullRequestStatus {
  const failedBefore = pullRequest.status?.tries ?? 0;
  const nextTryTime = nextTryAfter(failedBefore, error, now);
  const isUnknown = error.failure === "unavailable";
  const callTime = isUnknown ? pullRequest.status?.callTime : before?.callTime;
  const status = { ...pullRequest.status, callTime, tries: failedBefore + 1, nextTryTime };
  const { message } = error;
  if (nextTryTime !== undefined) return marked(pullRequest, status, { reason: "PullRequestPending", message }, now);
  const { remedy } = reasonMeanings.PullRequestRefused;
  return marked(pullRequest, status, { reason: "PullRequestRefused", message: `${message}. ${remedy}` }, now);
}

/** The status with what GitHub says of it now; what is older moves nothing back. */
export function observedStatus({ status }: PullRequest, observed: ListedPullRequest): PullRequestStatus {
  const { githubState: state, updateTime, mergeTime } = status ?? {};
  const known = state && updateTime !== undefined ? { state, updateTime, mergeTime } : undefined;
  return { ...status, ...shown(laterState(known, observedState(observed))) };
}

/** The status after its state was read because a person asked for that. */
export function syncedStatus(
  pullRequest: PullRequest,
  { observed, request }: { observed: ListedPullRequest; request: string },
  now: Date,
): PullRequestStatus {
  const { reason } = known(pullRequest);
  const status = { ...observedStatus(pullRequest, observed), requestedAt: request };
  return marked(pullRequest, status, { reason, message: reasonMeanings[reason].means }, now);
}

/** The status after its state could not be read though a person asked for that. */
export function unsyncedStatus(
  pullRequest: PullRequest,
  { error, request }: { error: ProviderError; request: string },
  now: Date,
): PullRequestStatus {
  const message = `Its state is as it was before ${request}, when it was asked for: ${error.message}`;
  const status = { ...pullRequest.status, requestedAt: request };
  return marked(pullRequest, status, { ...known(pullRequest), message }, now);
}

/** How the connector came by one that is open. */
function known({ status }: PullRequest): { reason: Reason } {
  const { reason } = findCondition(status?.conditions, conditionTypes.ready) ?? {};
  return { reason: reason === "PullRequestAdopted" ? reason : "PullRequestOpened" };
}

function shown({
  state,
  updateTime,
  mergeTime,
}: ObservedState): Pick<PullRequestStatus, "githubState" | "updateTime" | "mergeTime"> {
  return { githubState: state, updateTime, ...(mergeTime !== undefined && { mergeTime }) };
}

function marked(
  { metadata }: PullRequest,
  status: PullRequestStatus,
  { reason, message }: { reason: Reason; message: string },
  now: Date,
): PullRequestStatus {
  const { generation } = metadata;
  const mark = {
    type: conditionTypes.ready,
    status: status.number === undefined ? "False" : "True",
    reason,
    message: firstCharacters(message, 1_024),
  } as const;
  return {
    ...status,
    observedGeneration: generation,
    conditions: withMarks(status.conditions, [mark], { now, generation }),
  };
}
