import {
  mostFeedback,
  mostSkips,
  type PullRequest,
  type PullRequestStatus,
  type SkippedFeedback,
  type TrackedFeedback,
} from "../../../api/v1alpha1/index.ts";
import type { AttemptCap } from "../../../domain/pull-requests/autofix-settings.ts";
import { firstCharacters } from "../../../lib/characters.ts";
import { nextTryAfter } from "../../next-try.ts";
import type { ProviderError } from "../../provider-error.ts";
import { isAttempt } from "./admit.ts";

/**
 * The status with feedback that is admitted: the one write that counts it as an attempt. The oldest makes room that is neither to be
 * answered nor, with a cap, an attempt. Undefined where there is none.
 */
export function admittedStatus(
  { status }: PullRequest,
  added: TrackedFeedback,
  cap: AttemptCap,
): PullRequestStatus | undefined {
  const known = status?.feedback ?? [];
  const mayGo = ({ progress, admittedTime }: TrackedFeedback): boolean =>
    progress !== "Waiting" && (cap === "Unlimited" || !isAttempt(admittedTime, new Date(added.admittedTime)));
  const kept = known.length < mostFeedback ? known : withoutFirst(known, mayGo);
  if (!kept) return undefined;
  const skips = status?.skips?.filter(({ id }) => id !== added.id);
  return { ...status, prompted: (status?.prompted ?? 0) + 1, feedback: [...kept, added], ...(skips && { skips }) };
}

function withoutFirst<T>(list: readonly T[], mayGo: (one: T) => boolean): T[] | undefined {
  const index = list.findIndex(mayGo);
  return index === -1 ? undefined : list.toSpliced(index, 1);
}

/** The status with feedback that was skipped; the same feedback is counted once, while it is kept. */
export function skippedStatus({ status }: PullRequest, skip: SkippedFeedback): PullRequestStatus {
  const known = status?.skips ?? [];
  const others = known.filter(({ id }) => id !== skip.id);
  const isNew = others.length === known.length;
  return {
    ...status,
    skipped: (status?.skipped ?? 0) + (isNew ? 1 : 0),
    skips: [skip, ...others].slice(0, mostSkips),
  };
}

/** The status with one feedback changed. */
export function changedStatus({ status }: PullRequest, changed: TrackedFeedback): PullRequestStatus {
  return { ...status, feedback: (status?.feedback ?? []).map((one) => (one.id === changed.id ? changed : one)) };
}

/** Feedback whose answer is there, or will never be. */
export function ended(feedback: TrackedFeedback, progress: "Sent" | "Dropped"): TrackedFeedback {
  const { id, kind, objectID, eventUID, admittedTime, promptName } = feedback;
  return { id, kind, objectID, eventUID, admittedTime, promptName, progress };
}

/** Feedback after a call that was to answer and failed; `before` is when an earlier call of unknown outcome began. */
export function afterFailure(
  feedback: TrackedFeedback,
  { before, error }: { before: string | undefined; error: ProviderError },
  now: Date,
): TrackedFeedback {
  const failedBefore = feedback.tries ?? 0;
  const nextTryTime = nextTryAfter(failedBefore, error, now);
  return {
    ...feedback,
    callTime: error.failure === "unavailable" ? feedback.callTime : before,
    tries: failedBefore + 1,
    problem: firstCharacters(error.message, 1_024),
    nextTryTime,
    progress: nextTryTime === undefined ? "GivenUp" : "Waiting",
  };
}
