import type { AttemptId } from "./attempt.ts";
import type { AttemptOwner } from "./owner.ts";

/** The pod that a reviewed token is bound to. */
export interface PodIdentity {
  namespace: string;
  podUid: string;
}

/** Whether a runtime is admitted; `retry` is answered with 503, and the runtime comes back. */
export type Admission<Owner extends AttemptOwner> =
  | { answer: "admit"; owner: Owner }
  | { answer: "retry"; code: "SessionUnknown" | "SandboxNotRecorded" }
  | { answer: "over" }
  | { answer: "foreign" };

/**
 * Whether this pod may act for this attempt. What our cache may not show yet is `retry`. Only an attempt that has ended by
 * the status is refused for good: the token of a terminating pod stays valid.
 */
export function judgeAdmission<Owner extends AttemptOwner>(
  owner: Owner | undefined,
  wanted: AttemptId,
  pod: PodIdentity,
): Admission<Owner> {
  const sandbox = owner?.status?.sandbox;
  if (!owner) return { answer: "retry", code: "SessionUnknown" };
  if (isOver(owner, wanted.attempt)) return { answer: "over" };
  if (sandbox?.attempt !== wanted.attempt || sandbox.podUID === undefined) {
    return { answer: "retry", code: "SandboxNotRecorded" };
  }
  if (sandbox.podUID !== pod.podUid || owner.metadata.namespace !== pod.namespace) return { answer: "foreign" };
  return { answer: "admit", owner };
}

/** Whether the attempt has ended, so that its messages have no effect. */
export function isOver({ metadata, status }: AttemptOwner, attempt: number): boolean {
  const sandbox = status?.sandbox;
  if (metadata.deletionTimestamp !== undefined) return true;
  if (!sandbox) return false;
  return sandbox.attempt > attempt || (sandbox.attempt === attempt && sandbox.endTime !== undefined);
}
