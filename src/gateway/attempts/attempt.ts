import { attemptName } from "../../api/v1alpha1/names.ts";
import type { AttemptOwner } from "./owner.ts";

/** Names one attempt: the sandbox that a session had as its first, second or later one. */
export interface AttemptId {
  sessionUid: string;
  attempt: number;
}

/** One sandbox of one session; messages of its runtime are fenced by it. */
export interface Attempt extends AttemptId {
  /** Namespace of the Session. */
  namespace: string;
  /** Name of the Session. */
  session: string;
  /** Name of the attempt's bundle Secret and Lease. */
  name: string;
}

export function attemptOf({ metadata }: Pick<AttemptOwner, "metadata">, attempt: number): Attempt {
  const { uid = "", namespace = "", name = "" } = metadata;
  return { sessionUid: uid, attempt, namespace, session: name, name: attemptName(uid, attempt) };
}
