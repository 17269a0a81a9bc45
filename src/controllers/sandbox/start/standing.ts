import { group } from "../../../api/v1alpha1/kind.ts";
import { labels } from "../../../api/v1alpha1/names.ts";
import { Run } from "../../../api/v1alpha1/run.ts";
import { Session } from "../../../api/v1alpha1/session.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { refuseOutdated } from "../observe/newest-attempt.ts";
import type { AttemptOwner } from "../owner.ts";
import { type KubeObject, keyOf, type Resource } from "../../../lib/resource.ts";

const owners: Readonly<Record<string, Resource<KubeObject>>> = { Run, Session };

/**
 * Reads the owner of an attempt, and what owns that one, live: something may be created for them only while both are
 * there, under the UIDs that were meant, and neither is being deleted. A Run's session without its Run stays idle.
 * @throws a conflict where the attempt that would be created was there already
 */
export async function mayCreateFor(
  client: Pick<KubeClient, "find">,
  owner: Pick<AttemptOwner, "resource" | "metadata" | "record">,
): Promise<boolean> {
  const live = await client.find(owner.resource, keyOf(owner));
  refuseOutdated(owner, live);
  if (!isStanding(live, owner.metadata.uid)) return false;
  const references = (live?.metadata.ownerReferences ?? []).filter(({ apiVersion }) =>
    apiVersion.startsWith(`${group}/`),
  );
  if (references.length === 0 && live?.metadata.labels?.[labels.runUid] !== undefined) return false;
  const { namespace } = owner.metadata;
  const standing = await Promise.all(
    references.map(async ({ kind, name, uid }) => {
      const resource = owners[kind];
      return !resource || isStanding(await client.find(resource, { namespace, name }), uid);
    }),
  );
  return standing.every(Boolean);
}

function isStanding(object: KubeObject | undefined, uid: string | undefined): boolean {
  return object?.metadata.uid === uid && uid !== undefined && object?.metadata.deletionTimestamp === undefined;
}
