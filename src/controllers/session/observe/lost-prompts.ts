import { labels } from "../../../api/v1alpha1/names.ts";
import type { Prompt } from "../../../api/v1alpha1/prompt.ts";
import { Session } from "../../../api/v1alpha1/session.ts";
import { isSettled } from "../../../domain/prompts/prompt-state.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { keyText, type ObjectKey } from "../../../lib/resource.ts";
import { bySessionIndex, type SessionInformers } from "../informers.ts";

export interface LostPromptDeps {
  client: Pick<KubeClient, "find">;
  informers: Pick<SessionInformers, "prompts">;
}

/**
 * Finds unfinished prompts of people whose session does not exist, or was deleted before they ended. A prompt with an owner
 * is deleted with it.
 */
export async function findLostPrompts({ client, informers }: LostPromptDeps, key: ObjectKey): Promise<Prompt[]> {
  const lost = informers.prompts.byIndex(bySessionIndex, keyText(key)).filter(isLost);
  // The cache only names candidates.
  return lost.length === 0 || (await client.find(Session, key)) ? [] : lost;
}

/** One that carries a session's UID is collected, not failed. */
function isLost(prompt: Prompt): boolean {
  const { labels: own, ownerReferences = [], deletionTimestamp } = prompt.metadata;
  const isOwned = ownerReferences.length > 0 || own?.[labels.sessionUid] !== undefined;
  return !isOwned && deletionTimestamp === undefined && !isSettled(prompt);
}
