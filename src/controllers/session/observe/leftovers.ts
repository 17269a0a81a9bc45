import { labels } from "../../../api/v1alpha1/names.ts";
import { Prompt } from "../../../api/v1alpha1/prompt.ts";
import { Session } from "../../../api/v1alpha1/session.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { pods } from "../../../kube/core-resources.ts";
import { keyText, type KubeObject, type ObjectKey } from "../../../lib/resource.ts";
import type { Leftover } from "../facts.ts";
import { bySessionIndex, type SessionInformers } from "../informers.ts";

export interface LeftoverDeps {
  client: Pick<KubeClient, "find">;
  informers: Pick<SessionInformers, "sessions" | "pods" | "prompts">;
}

/**
 * Finds pods and prompts of a session that was deleted with orphaning: they have lost their owner reference and carry the
 * UID of a session that is not there. Objects that still have their reference are the garbage collector's.
 */
export async function findLeftovers({ client, informers }: LeftoverDeps, key: ObjectKey): Promise<Leftover[]> {
  const cached = informers.sessions.get(key)?.metadata.uid;
  const candidates = candidatesFor(informers, key).filter(({ object }) => sessionUidOf(object) !== cached);
  if (candidates.length === 0) return [];
  // The cache only names candidates.
  const live = await client.find(Session, key);
  return candidates.filter(({ object }) => sessionUidOf(object) !== live?.metadata.uid);
}

function candidatesFor({ pods: podCache, prompts }: LeftoverDeps["informers"], key: ObjectKey): Leftover[] {
  const found = [
    ...podCache.byIndex(bySessionIndex, keyText(key)).map((object) => ({ resource: pods, object })),
    ...prompts.byIndex(bySessionIndex, keyText(key)).map((object) => ({ resource: Prompt, object })),
  ];
  return found.filter(({ object }) => isLeft(object));
}

/** Without an owner and not on its way out. Prompts of people never had an owner, and no label of ours either. */
function isLeft({ metadata }: KubeObject): boolean {
  const hasOwner = (metadata.ownerReferences ?? []).length > 0;
  return !hasOwner && metadata.deletionTimestamp === undefined && metadata.labels?.[labels.sessionUid] !== undefined;
}

function sessionUidOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[labels.sessionUid];
}
