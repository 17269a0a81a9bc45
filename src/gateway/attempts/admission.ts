import type { Session } from "../../api/v1alpha1/session.ts";

/** Which attempt a runtime says it is, from the path it asks for. */
export interface AttemptReference {
  sessionUid: string;
  attempt: number;
}

/** Which pod it is, from its reviewed token. */
export interface PodIdentity {
  namespace: string;
  podUid: string;
}

/** How an upgrade is answered; `retry` answers are 503, the runtime comes back. */
export type Admission =
  | { answer: "admit"; session: Session }
  | { answer: "retry"; code: "SessionUnknown" | "SandboxNotRecorded" }
  | { answer: "over" }
  | { answer: "foreign" };

/**
 * Whether this pod may speak for this attempt. Everything that our own view may merely not show yet is *retry*; final is
 * only what the status says is over, since a terminating pod's token stays valid.
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

/** Whether nothing that this attempt says counts any more. */
export function isOver(session: Session, attempt: number): boolean {
  const sandbox = session.status?.sandbox;
  if (session.metadata.deletionTimestamp !== undefined) return true;
  if (!sandbox) return false;
  return sandbox.attempt > attempt || (sandbox.attempt === attempt && sandbox.endTime !== undefined);
}
