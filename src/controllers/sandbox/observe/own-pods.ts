import { labels } from "../../../api/v1alpha1/names.ts";
import type { Pod } from "../../../kube/core-resources.ts";
import { isSameOwner, ownerReferenceTo } from "../../../lib/resource.ts";
import { attemptOf } from "../labels.ts";
import type { AttemptOwner } from "../owner.ts";
import { sandboxPodName } from "../pod/names.ts";

type Owner = Pick<AttemptOwner, "resource" | "metadata" | "record">;

/**
 * Whether a pod is the one that the operator made for an attempt of this owner, or that was handed over to it. Labels
 * alone prove nothing: any client that may create pods in some namespace may write any.
 */
export function isSandboxOf({ resource, metadata: owner, record }: Owner, { metadata }: Pod): boolean {
  const reference = ownerReferenceTo(resource, { metadata: owner });
  const isOwned = metadata.ownerReferences?.some((one) => isSameOwner(one, reference)) ?? false;
  if (metadata.namespace !== owner.namespace || !isOwned) return false;
  if (metadata.name === sandboxPodName(owner, attemptOf(metadata))) return true;
  // Only we may set the owner, and do so where a pod was handed over.
  return metadata.labels?.[labels.claimedFrom] !== undefined || isRecorded(record, metadata);
}

function isRecorded(record: Owner["record"], { uid }: Pod["metadata"]): boolean {
  return record?.podUID !== undefined && uid === record.podUID;
}

/** Whether a pod was handed over to this owner, which has not recorded it: a predecessor ended in between. */
export function isStray(
  { metadata: owner, record }: Owner,
  { metadata }: Pod,
  startedUid: string | undefined,
): boolean {
  const isMade = metadata.name === sandboxPodName(owner, attemptOf(metadata));
  return !isMade && !isRecorded(record, metadata) && metadata.uid !== startedUid;
}

/** Whether it is a pod that counts against its class: one of the owner's current attempt or of the next. */
export function takesPlace(owner: Owner | undefined, pod: Pod): boolean {
  if (!owner || pod.metadata.deletionTimestamp !== undefined || !isSandboxOf(owner, pod)) return false;
  const { attempt = 0 } = owner.record ?? {};
  return attemptOf(pod.metadata) === attempt || attemptOf(pod.metadata) === attempt + 1;
}

/** The cached pods with one that was read just now: another of its name is gone, and the cache is behind. */
export function withRead(cached: readonly Pod[], read: Pod): Pod[] {
  return [...cached.filter(({ metadata }) => metadata.name !== read.metadata.name), read];
}
