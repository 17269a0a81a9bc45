import { labels } from "../../../api/v1alpha1/names.ts";
import { Prompt } from "../../../api/v1alpha1/prompt.ts";
import { Session } from "../../../api/v1alpha1/session.ts";
import { isSettled } from "../../../domain/prompts/prompt-state.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { pods } from "../../../kube/core-resources.ts";
import { keyText, type KubeObject, type ObjectKey } from "../../../lib/resource.ts";
import type { AbsentFacts, Leftover } from "../facts.ts";
import { bySessionIndex, type SessionInformers } from "../informers.ts";

interface LeftoverDeps {
  client: Pick<KubeClient, "find">;
  informers: Pick<SessionInformers, "sessions" | "pods" | "prompts">;
}

/** Reads what is left where there is no session of this name. */
export async function observeAbsent(deps: LeftoverDeps, key: ObjectKey): Promise<AbsentFacts> {
  return { leftovers: await findLeftovers(deps, key), lostPrompts: await findLostPrompts(deps, key) };
}

/**
 * Finds pods and prompts of a session that was deleted with orphaning: they have lost their owner reference and carry the
 * UID of a session that is not there. Objects that still have their reference are the garbage collector's.
 */
export async function findLeftovers({ client, informers }: LeftoverDeps, key: ObjectKey): Promise<Leftover[]> {
  const cached = informers.sessions.get(key)?.metadata.uid;
  const found = [
    ...informers.pods.byIndex(bySessionIndex, keyText(key)).map((object) => ({ resource: pods, object })),
    ...informers.prompts.byIndex(bySessionIndex, keyText(key)).map((object) => ({ resource: Prompt, object })),
  ];
  const candidates = found.filter(({ object }) => {
    const uid = sessionUidOf(object);
    // Prompts of people never had an owner, and no label of ours either.
    return isUnowned(object) && uid !== undefined && uid !== cached;
  });
  if (candidates.length === 0) return [];
  // The cache only names candidates.
  const live = await client.find(Session, key);
  return candidates.filter(({ object }) => sessionUidOf(object) !== live?.metadata.uid);
}

/**
 * Finds unfinished prompts of people whose session does not exist, or was deleted before they ended. A prompt that a session
 * owns is deleted with it, and one that carries a session's UID is a leftover.
 */
async function findLostPrompts({ client, informers }: LeftoverDeps, key: ObjectKey): Promise<Prompt[]> {
  const lost = informers.prompts
    .byIndex(bySessionIndex, keyText(key))
    .filter((prompt) => isOfPeople(prompt) && !isSettled(prompt));
  // The cache only names candidates.
  return lost.length === 0 || (await client.find(Session, key)) ? [] : lost;
}

/** What people make them with, such as a workflow, may own them. */
function isOfPeople(prompt: Prompt): boolean {
  const { deletionTimestamp, ownerReferences = [] } = prompt.metadata;
  const isOfSession = ownerReferences.some(({ kind }) => kind === Session.kind);
  return deletionTimestamp === undefined && !isOfSession && sessionUidOf(prompt) === undefined;
}

/** Without an owner and not on its way out. */
function isUnowned({ metadata }: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).length === 0 && metadata.deletionTimestamp === undefined;
}

function sessionUidOf({ metadata }: KubeObject): string | undefined {
  return metadata.labels?.[labels.sessionUid];
}
