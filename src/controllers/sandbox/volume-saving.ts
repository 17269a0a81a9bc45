import { sandboxVolumes } from "../../api/runtime/pod-contract.ts";
import type { SnapshotNote } from "../../api/runtime/bundle.ts";
import { labels } from "../../api/v1alpha1/names.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import type { KubeClient } from "../../kube/client.ts";
import { isAlreadyExists, isForbidden, isInvalid, isNotFound } from "../../kube/errors.ts";
import { apiVersionOf, keyOf } from "../../lib/resource.ts";
import { makeVolumeSnapshot, volumeSnapshots } from "./pod/volume-snapshots.ts";

type Client = Pick<KubeClient, "list" | "create" | "delete">;

/** Has the volume of a sandbox saved, and says how that came out where it is known at once: that it cannot be. */
export async function saveVolume(
  client: Client,
  session: Session,
  sandbox: { podName: string; volumeSnapshotClassName: string },
): Promise<SnapshotNote | undefined> {
  try {
    await forgetOlder(client, session);
    await client.create(volumeSnapshots, makeVolumeSnapshot(session, sandbox, sandboxVolumes.workspace));
    return undefined;
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    if (isNotFound(error)) {
      return { problem: `the cluster has no ${volumeSnapshots.kind} (${apiVersionOf(volumeSnapshots)})` };
    }
    if (isForbidden(error) || isInvalid(error)) return { problem: error.message.slice(0, 512) };
    throw error;
  }
}

/** Only the one that the status names is of use until there is another. */
async function forgetOlder(client: Client, { metadata, status }: Session): Promise<void> {
  const { namespace, uid = "" } = metadata;
  const labelSelector = `${labels.sessionUid}=${uid}`;
  const { items } = await client.list(volumeSnapshots, { namespace, labelSelector, metadataOnly: true });
  for (const one of items) {
    const { name, uid: itsUid, resourceVersion } = one.metadata;
    if (name === status?.snapshot?.volumeSnapshotName) continue;
    await client.delete(volumeSnapshots, keyOf(one), { uid: itsUid, resourceVersion });
  }
}
