import type { KubeClient } from "../../../kube/client.ts";
import { isNotFound } from "../../../kube/errors.ts";
import type { AttemptFacts } from "../facts.ts";
import { selectorOf } from "../labels.ts";
import { ownerUidLabel } from "../../../domain/attempts/owner-labels.ts";
import type { AttemptOwner } from "../owner.ts";
import { noteOf, type VolumeSnapshot, volumeSnapshotName, volumeSnapshots } from "../pod/volume-snapshots.ts";

type SnapshotFacts = Pick<AttemptFacts, "volumeSnapshot" | "olderSnapshots">;

/** Reads VolumeSnapshots of an owner while the volume of its current attempt is being saved; nothing else watches them. */
export async function observeVolumeSnapshots(
  client: Pick<KubeClient, "list">,
  owner: AttemptOwner,
): Promise<SnapshotFacts> {
  const { metadata, record, savedWorkspace } = owner;
  const { snapshotTime, endTime, volumeSnapshotClassName } = record ?? {};
  if (!record || snapshotTime === undefined || endTime !== undefined || volumeSnapshotClassName === undefined)
    return {};
  const items = await listed(client, metadata.namespace, selectorOf(ownerUidLabel(owner)));
  const name = volumeSnapshotName(record);
  const own = items.find((one) => one.metadata.name === name);
  const kept = new Set([name, savedWorkspace?.volumeSnapshotName]);
  return {
    volumeSnapshot: own && { note: noteOf(own) },
    olderSnapshots: items.map((one) => one.metadata).filter((one) => !kept.has(one.name)),
  };
}

/** A cluster without the kind has none. */
async function listed(
  client: Pick<KubeClient, "list">,
  namespace: string | undefined,
  labelSelector: string,
): Promise<readonly VolumeSnapshot[]> {
  try {
    return (await client.list(volumeSnapshots, { namespace, labelSelector })).items;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}
