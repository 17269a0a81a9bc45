import { Prompt } from "../../../api/v1alpha1/prompt.ts";
import type { Session } from "../../../api/v1alpha1/session.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { keyOf, keyText, type KubeObject } from "../../../lib/resource.ts";
import { withoutText } from "../../kind-informers.ts";
import { bySessionIndex, type SessionInformers } from "../informers.ts";

interface OwnPromptsDeps {
  client: Pick<KubeClient, "list">;
  informers: { prompts: Pick<SessionInformers["prompts"], "byIndex"> };
}

/**
 * The prompts of a session in the order of their creation, without those in deletion. One that the status names and the cache lacks
 * is looked for at the API server: the cache of prompts may be behind that of sessions, and a prompt that is gone leaves the queue.
 */
export async function ownPrompts({ client, informers }: OwnPromptsDeps, session: Session): Promise<Prompt[]> {
  const { namespace, name = "", uid = "" } = session.metadata;
  const cached = informers.prompts.byIndex(bySessionIndex, keyText(keyOf(session)));
  const known = new Set(cached.map(({ metadata }) => metadata.uid));
  const isLacking = namedBy(session).some((one) => !known.has(one));
  const fieldSelector = `spec.sessionRef.name=${name}`;
  const { items } = isLacking
    ? await client.list<Prompt>(Prompt, { namespace, fieldSelector, transform: withoutText })
    : { items: [] };
  return [...cached, ...items.filter(({ metadata }) => !known.has(metadata.uid))]
    .filter((prompt) => prompt.metadata.deletionTimestamp === undefined && isOwnedBy(prompt, uid))
    .sort(byResourceVersion);
}

/** Of a session that is being deleted nothing is judged. */
function namedBy({ metadata, status }: Session): string[] {
  const { queue = [], currentPrompt } = status ?? {};
  if (metadata.deletionTimestamp !== undefined) return [];
  return currentPrompt ? [...queue, currentPrompt.uid] : queue;
}

/** A prompt of a session that had this name before is not this one's. People's prompts may have no owner. */
function isOwnedBy({ metadata }: KubeObject, sessionUid: string): boolean {
  const owners = (metadata.ownerReferences ?? []).filter(({ kind }) => kind === "Session");
  return owners.length === 0 || owners.some(({ uid }) => uid === sessionUid);
}

/** An unsettled prompt keeps the version of its creation, and versions grow as objects are stored. */
function byResourceVersion(left: KubeObject, right: KubeObject): number {
  return Number(left.metadata.resourceVersion) - Number(right.metadata.resourceVersion);
}
