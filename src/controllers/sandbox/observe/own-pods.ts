import type { Session } from "../../../api/v1alpha1/session.ts";
import type { Pod } from "../../../kube/core-resources.ts";
import { sandboxPodName } from "../pod/names.ts";
import { attemptOf } from "../attempt-number.ts";

/**
 * Whether a pod is the one that the operator makes for an attempt of this session. Labels alone prove nothing: whoever
 * may create pods in some namespace may write any.
 */
export function isSandboxOf({ metadata: { name = "", uid = "", namespace } }: Session, { metadata }: Pod): boolean {
  if (metadata.namespace !== namespace || !metadata.ownerReferences?.some((owner) => owner.uid === uid)) return false;
  return metadata.name === sandboxPodName({ name, uid }, attemptOf(metadata));
}

/** Whether it is a pod that counts against its class: one of the session's current attempt or of the next. */
export function takesPlace(session: Session | undefined, pod: Pod): boolean {
  if (!session || pod.metadata.deletionTimestamp !== undefined || !isSandboxOf(session, pod)) return false;
  const { attempt = 0 } = session.status?.sandbox ?? {};
  return attemptOf(pod.metadata) === attempt || attemptOf(pod.metadata) === attempt + 1;
}
