import { attemptName } from "../../api/v1alpha1/names.ts";
import type { Session } from "../../api/v1alpha1/session.ts";

/** One sandbox of one session: what everything its runtime says is fenced by. */
export interface Attempt {
  sessionUid: string;
  attempt: number;
  /** The Session's. */
  namespace: string;
  /** The Session's. */
  session: string;
  /** Name of the attempt's bundle Secret and Lease. */
  name: string;
}

export function attemptOf(session: Session, attempt: number): Attempt {
  const { uid = "", namespace = "", name = "" } = session.metadata;
  return { sessionUid: uid, attempt, namespace, session: name, name: attemptName(uid, attempt) };
}
