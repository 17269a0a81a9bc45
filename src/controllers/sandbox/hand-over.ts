import { labels } from "../../api/v1alpha1/names.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type Pod, pods } from "../../kube/core-resources.ts";
import { keyOf, ownerReferenceTo } from "../../lib/resource.ts";
import { ownerLabels } from "../../domain/attempts/owner-labels.ts";
import type { AttemptOwner, AttemptRecord } from "./owner.ts";
import { activeDeadlineSeconds } from "./pod/pod.ts";
import { present } from "./present.ts";

/** A pod that goes on under another owner, as that owner's attempt of this number. */
export interface HandOver {
  pod: Pick<Pod, "metadata">;
  from: Pick<AttemptOwner, "resource" | "metadata">;
  to: Pick<AttemptOwner, "resource" | "metadata">;
  attempt: number;
  /** Lifetime of the sandbox in milliseconds from its creation; undefined: the pod keeps the deadline that it has. */
  lifetimeMs: number | undefined;
}

/**
 * What hands a running pod over: owner reference, labels and deadline in one patch. It carries the version of the pod that
 * was read, so that of several who want one pod only the first gets it.
 */
export function handOverPatch({ pod, from, to, attempt, lifetimeMs }: HandOver): object {
  const { uid, resourceVersion } = pod.metadata;
  const former = Object.fromEntries(Object.keys(ownerLabels(from)).map((name): [string, null] => [name, null]));
  return {
    metadata: {
      uid,
      resourceVersion,
      labels: { ...former, ...ownerLabels(to), [labels.attempt]: String(attempt) },
      ownerReferences: [ownerReferenceTo(to.resource, to)],
    },
    ...(lifetimeMs === undefined ? {} : { spec: { activeDeadlineSeconds: activeDeadlineSeconds(lifetimeMs) } }),
  };
}

/**
 * Hands a running pod over to another owner, whose bundle for the attempt must be there already. The new owner's status
 * has to take the returned record in; until it does, the pod is no owner's current attempt.
 * @throws KubeError with status 409 when another was faster
 */
export async function handOver(
  client: Pick<KubeClient, "patch">,
  record: AttemptRecord,
  request: HandOver,
): Promise<AttemptRecord> {
  const { metadata } = await client.patch(pods, keyOf(request.pod), handOverPatch(request));
  const { createTime, containerStartTime, tunnels, volumeSnapshotClassName } = record;
  return {
    attempt: request.attempt,
    podName: metadata.name ?? "",
    podUID: metadata.uid ?? "",
    createTime,
    containerStartTime,
    ...present({ tunnels, volumeSnapshotClassName }),
  };
}
