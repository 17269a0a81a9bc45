import { defineResource } from "../../../kube/core-resources.ts";
import { type KubeObject, ownerReferenceTo } from "../../../lib/resource.ts";
import { ownerUidLabel } from "../../../domain/attempts/owner-labels.ts";
import type { AttemptOwner } from "../owner.ts";
import { quantityValue } from "./quantity.ts";
import type { SnapshotNote } from "../../../api/runtime/bundle.ts";

/** As much of the CSI snapshotter's kind as is read and written here. */
export interface VolumeSnapshot extends KubeObject {
  spec: { volumeSnapshotClassName: string; source: { persistentVolumeClaimName: string } };
  status?: {
    readyToUse?: boolean;
    restoreSize?: string;
    error?: { message?: string };
  };
}

export const volumeSnapshots = defineResource<VolumeSnapshot>({
  group: "snapshot.storage.k8s.io",
  version: "v1",
  kind: "VolumeSnapshot",
  plural: "volumesnapshots",
  namespaced: true,
});

/** Name of the claim that the kubelet's neighbours make for a pod's generic ephemeral volume. */
export function claimName(podName: string, volume: string): string {
  return `${podName}-${volume}`;
}

/** The snapshot of a sandbox's workspace; it has the pod's name, and is deleted with the owner. */
export function makeVolumeSnapshot(
  owner: Pick<AttemptOwner, "resource" | "metadata">,
  { podName, volumeSnapshotClassName }: { podName: string; volumeSnapshotClassName: string },
  volume: string,
): VolumeSnapshot {
  return {
    metadata: {
      name: podName,
      namespace: owner.metadata.namespace,
      labels: ownerUidLabel(owner),
      ownerReferences: [ownerReferenceTo(owner.resource, owner)],
    },
    spec: {
      volumeSnapshotClassName,
      source: { persistentVolumeClaimName: claimName(podName, volume) },
    },
  };
}

/** How the snapshot came out; undefined while nobody knows. */
export function noteOf({ status = {} }: VolumeSnapshot): SnapshotNote | undefined {
  if (!status.readyToUse) {
    return status.error
      ? { problem: (status.error.message ?? "the snapshotter gave no reason").slice(0, 512) }
      : undefined;
  }
  const bytes = quantityValue(status.restoreSize ?? "0");
  return { bytes: Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : 0 };
}
