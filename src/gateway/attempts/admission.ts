import type { Session } from "../../api/v1alpha1/session.ts";

/** The attempt in the path of a runtime's request. */
export interface AttemptReference {
  sessionUid: string;
  attempt: number;
}

/** The pod that a reviewed token is bound to. */
export interface PodIdentity {
  namespace: string;
  podUid: string;
}

/** Whether a runtime is admitted; `retry` is answered with 503, and the runtime comes back. */
export type Admission =
  | { answer: "admit"; session: Session }
  | { answer: "retry"; code: "SessionUnknown" | "SandboxNotRecorded" }
  | { answer: "over" }
  | { answer: "foreign" };

/**
 * Whether this pod may act for this attempt. What our cache may not show yet is `retry`. Only an attempt that has ended by
 * the status is refused for good: the token of a terminating pod stays valid.
 */
export function judgeAdmission(session: Session | undefined, wanted: AttemptReference, pod: PodIdentity): Admission {
  const sandbox = session?.status?.sandbox;
  if (!session) return { answer: "retry", code: "SessionUnknown" };
  if (isOver(session, wanted.attempt)) return { answer: "over" };
  if (sandbox?.attempt !== wanted.attempt || sandbox.podUID === undefined) {
    return { answer: "retry", code: "SandboxNotRecorded" };
  }
  if (sandbox.podUID !== pod.podUid || session.metadata.namespace !== pod.namespace) return { answer: "foreign" };
  return { answer: "admit", session };
}

/** Whether the attempt has ended, so that its messages have no effect. */
export function isOver(session: Session, attempt: number): boolean {
  const sandbox = session.status?.sandbox;
  if (session.metadata.deletionTimestamp !== undefined) return true;
  if (!sandbox) return false;
  return sandbox.attempt > attempt || (sandbox.attempt === attempt && sandbox.endTime !== undefined);
}
