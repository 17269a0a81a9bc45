import { group } from "../../../api/v1alpha1/kind.ts";
import { labels } from "../../../api/v1alpha1/names.ts";
import { Run } from "../../../api/v1alpha1/run.ts";
import { Session } from "../../../api/v1alpha1/session.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { type KubeObject, keyOf, type OwnerReference, type Resource } from "../../../lib/resource.ts";

const owners: Readonly<Record<string, Resource<KubeObject>>> = { Run, Session };

/**
 * Reads the session and its owner live and says whether something may still be made for them: both are there, the very
 * ones that were meant, and neither is being deleted. What an owner left behind on purpose is nobody's and stays idle.
 */
export async function mayMakeFor(client: Pick<KubeClient, "find">, session: Session): Promise<boolean> {
  const live = await client.find(Session, keyOf(session));
  if (!isStanding(live, session.metadata.uid)) return false;
  const references = (live?.metadata.ownerReferences ?? []).filter(({ apiVersion }) =>
    apiVersion.startsWith(`${group}/`),
  );
  if (references.length === 0 && live?.metadata.labels?.[labels.runUid] !== undefined) return false;
  const standing = await Promise.all(references.map((reference) => isOwnerStanding(client, session, reference)));
  return standing.every(Boolean);
}

async function isOwnerStanding(
  client: Pick<KubeClient, "find">,
  { metadata }: Session,
  { kind, name, uid }: OwnerReference,
): Promise<boolean> {
  const resource = owners[kind];
  if (!resource) return true;
  return isStanding(await client.find(resource, { namespace: metadata.namespace, name }), uid);
}

function isStanding(object: KubeObject | undefined, uid: string | undefined): boolean {
  return object?.metadata.uid === uid && uid !== undefined && object?.metadata.deletionTimestamp === undefined;
}
