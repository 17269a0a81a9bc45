import type { SnapshotNote } from "../../../api/runtime/bundle.ts";
import { sandboxVolumes } from "../../../api/runtime/pod-contract.ts";
import { defineResource } from "../../../kube/core-resources.ts";
import { cutMiddle } from "../../../lib/characters.ts";
import { type KubeObject, ownerReferenceTo } from "../../../lib/resource.ts";
import { ownerUidLabel } from "../../../domain/attempts/owner-labels.ts";
import type { AttemptOwner, AttemptRecord } from "../owner.ts";
import { quantityValue } from "../../../lib/quantity.ts";

/** As much of the CSI snapshotter's kind as is read and written here. */
export interface VolumeSnapshot extends KubeObject {
  spec: { volumeSnapshotClassName: string; source: { persistentVolumeClaimName: string } };
  status?: { readyToUse?: boolean; restoreSize?: string; error?: { message?: string } };
}

export const volumeSnapshots = defineResource<VolumeSnapshot>({
  group: "snapshot.storage.k8s.io",
  version: "v1",
  kind: "VolumeSnapshot",
  plural: "volumesnapshots",
  namespaced: true,
});

/** Name of the snapshot of an attempt's workspace: the pod's, and from the second try on its number. */
export function volumeSnapshotName({
  podName,
  snapshotTry = 1,
}: Pick<AttemptRecord, "podName" | "snapshotTry">): string {
  return snapshotTry === 1 ? podName : `${podName}-${snapshotTry}`;
}

/** The snapshot of a sandbox's workspace, which is deleted with the owner. */
export function makeVolumeSnapshot(
  owner: Pick<AttemptOwner, "resource" | "metadata">,
  record: Pick<AttemptRecord, "podName" | "snapshotTry">,
  volumeSnapshotClassName: string,
): VolumeSnapshot {
  // The name of the claim that Kubernetes makes for a pod's generic ephemeral volume.
  const persistentVolumeClaimName = `${record.podName}-${sandboxVolumes.workspace}`;
  return {
    metadata: {
      name: volumeSnapshotName(record),
      namespace: owner.metadata.namespace,
      labels: ownerUidLabel(owner),
      ownerReferences: [ownerReferenceTo(owner.resource, owner)],
    },
    spec: { volumeSnapshotClassName, source: { persistentVolumeClaimName } },
  };
}

/** How the snapshot came out; undefined while it is being taken. */
export function noteOf({ status = {} }: VolumeSnapshot): SnapshotNote | undefined {
  const { readyToUse, restoreSize = "0", error } = status;
  if (!readyToUse) return error && { problem: cutMiddle(error.message ?? "the snapshotter gave no reason", 512) };
  const bytes = quantityValue(restoreSize);
  return { bytes: Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : 0 };
}
