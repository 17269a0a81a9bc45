import { labels } from "../../../api/v1alpha1/names.ts";
import type { Prompt } from "../../../api/v1alpha1/prompt.ts";
import { Run } from "../../../api/v1alpha1/run.ts";
import type { Session, SessionStatus } from "../../../api/v1alpha1/session.ts";
import { firstPromptName } from "../../../domain/prompts/first-prompt-name.ts";
import { isSettled } from "../../../domain/runs/run-state.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { SessionFacts } from "../facts.ts";

/**
 * The prompts of a session as they may be looked at, the first one first. A Run's session exists before the Run's own
 * prompt does; prompts that people send in between wait for that one, unless the Run has ended without it.
 */
export async function promptsInTurn(
  client: Pick<KubeClient, "find">,
  session: Session,
  prompts: readonly Prompt[],
): Promise<Pick<SessionFacts, "prompts" | "awaitsFirst">> {
  const { labels: own, name = "" } = session.metadata;
  if (own?.[labels.runUid] === undefined) return { prompts };
  const first = prompts.find(({ metadata }) => metadata.name === firstPromptName(name));
  if (first) return { prompts: [first, ...prompts.filter((one) => one !== first)] };
  if (prompts.length === 0 || hasBegun(session.status) || !(await isRunOpen(client, session))) return { prompts };
  return { prompts: [], awaitsFirst: true };
}

/** The first prompt was there, and may have been deleted. */
function hasBegun({ queue = [], currentPrompt, promptsEnded = 0 }: SessionStatus = {}): boolean {
  return queue.length > 0 || currentPrompt !== undefined || promptsEnded > 0;
}

async function isRunOpen(client: Pick<KubeClient, "find">, { metadata }: Session): Promise<boolean> {
  const uid = metadata.labels?.[labels.runUid];
  const owner = metadata.ownerReferences?.find((one) => one.uid === uid);
  if (!owner) return false;
  const run = await client.find<Run>(Run, { namespace: metadata.namespace, name: owner.name });
  return run?.metadata.uid === uid && run !== undefined && !isSettled(run);
}
