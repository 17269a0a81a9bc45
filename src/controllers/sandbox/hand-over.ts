import { labels, safeToEvict } from "../../api/v1alpha1/names.ts";
import type { Pod } from "../../kube/core-resources.ts";
import { ownerReferenceTo } from "../../lib/resource.ts";
import { ownerLabels } from "../../domain/attempts/owner-labels.ts";
import type { AttemptOwner } from "./owner.ts";
import { activeDeadlineSeconds } from "./pod/pod.ts";

/** A pod that goes on under another owner, as that owner's attempt of this number. */
export interface HandOver {
  pod: Pick<Pod, "metadata" | "status">;
  from: Pick<AttemptOwner, "resource" | "metadata">;
  to: Pick<AttemptOwner, "resource" | "metadata">;
  attempt: number;
  /** Name of the pool in which it waited, which the pod keeps as a label. */
  pool?: string | undefined;
  /** Of a pod of a pool: the annotation that the new owner's own pod would have; undefined: none. */
  safeToEvict?: string | undefined;
  /** Lifetime of the sandbox in milliseconds from now on; undefined: the pod keeps the deadline that it has. */
  lifetimeMs: number | undefined;
}

/**
 * What hands a running pod over: owner reference, labels and deadline in one patch. It carries the version of the pod that
 * was read, so that of several who want one pod only the first gets it. The new owner's bundle for the attempt must be
 * there already, and its status has to name the pod: until it does, the pod is no attempt.
 */
export function handOverPatch(handOver: HandOver, now: Date): object {
  const { pod, from, to, attempt, pool, lifetimeMs } = handOver;
  const { uid, resourceVersion } = pod.metadata;
  const former = Object.fromEntries(Object.keys(ownerLabels(from)).map((name): [string, null] => [name, null]));
  return {
    metadata: {
      uid,
      resourceVersion,
      labels: {
        ...former,
        ...ownerLabels(to),
        [labels.attempt]: String(attempt),
        ...(pool === undefined ? {} : { [labels.claimedFrom]: pool }),
      },
      ...(pool !== undefined && { annotations: { [safeToEvict]: handOver.safeToEvict ?? null } }),
      ownerReferences: [ownerReferenceTo(to.resource, to)],
    },
    ...(lifetimeMs === undefined ? {} : { spec: { activeDeadlineSeconds: deadline(pod, lifetimeMs, now) } }),
  };
}

/** The kubelet counts from the start of the pod. */
function deadline({ status }: Pick<Pod, "status">, lifetimeMs: number, now: Date): number {
  const { startTime } = status ?? {};
  const ageMs = startTime === undefined ? 0 : Math.max(0, now.getTime() - Date.parse(startTime));
  return activeDeadlineSeconds(ageMs + lifetimeMs);
}
