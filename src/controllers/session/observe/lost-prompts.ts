import { labels } from "../../../api/v1alpha1/names.ts";
import { Prompt } from "../../../api/v1alpha1/prompt.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import { Session } from "../../../api/v1alpha1/session.ts";
import { isSettled } from "../../../domain/prompts/prompt-state.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { Clock } from "../../../lib/clock.ts";
import { keyText, type ObjectKey } from "../../../lib/resource.ts";
import { bySessionIndex, type SessionInformers } from "../../sandbox/informers.ts";
import { failedStatus } from "../decide/queue.ts";

export interface LostPromptDeps {
  client: Pick<KubeClient, "find" | "patchStatus">;
  clock: Pick<Clock, "now">;
  informers: Pick<SessionInformers, "prompts">;
}

/** A Prompt may be applied before its Session, in one go: 1 minute. */
const graceMs = 60_000;

/**
 * Fails prompts of people whose session does not exist, or was deleted before they ended, and says in how many
 * milliseconds to look again. What has an owner goes with it.
 */
export async function failLostPrompts(deps: LostPromptDeps, key: ObjectKey): Promise<number | undefined> {
  const { client, clock, informers } = deps;
  const lost = informers.prompts.byIndex(bySessionIndex, keyText(key)).filter(isLost);
  // The cache only names candidates.
  if (lost.length === 0 || (await client.find(Session, key))) return undefined;
  const now = clock.now();
  const message = `there is no Session ${key.name} in namespace ${key.namespace ?? ""}`;
  const waits: number[] = [];
  for (const prompt of lost) {
    const leftMs = Date.parse(prompt.metadata.creationTimestamp ?? "") + graceMs - now.getTime();
    if (leftMs > 0) waits.push(leftMs);
    else
      await client.patchStatus(Prompt, prompt, failedStatus(prompt, { reason: reasons.sessionNotFound, message }, now));
  }
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/** One that carries a session's UID is collected, not failed. */
function isLost(prompt: Prompt): boolean {
  const { labels: own, ownerReferences = [], deletionTimestamp } = prompt.metadata;
  const isOwned = ownerReferences.length > 0 || own?.[labels.sessionUid] !== undefined;
  return !isOwned && deletionTimestamp === undefined && !isSettled(prompt);
}
