import type { Condition } from "../../api/v1alpha1/conditions.ts";
import { conditionTypes } from "../../api/v1alpha1/names.ts";
import type { Prompt } from "../../api/v1alpha1/prompt.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import { findCondition } from "../conditions.ts";

/** The prompt's Succeeded condition; undefined until there is one. */
export function succeededOf(prompt: Prompt): Condition | undefined {
  return findCondition(prompt.status?.conditions, conditionTypes.succeeded);
}

/** Whether the prompt has ended; its verdict never changes again. */
export function isSettled(prompt: Prompt): boolean {
  const succeeded = succeededOf(prompt);
  return succeeded !== undefined && succeeded.status !== "Unknown";
}

/** Progress of a prompt: `created` and not admitted yet, `waiting` in the queue, `processing`, `ended`. */
export type PromptState = "created" | "waiting" | "processing" | "ended";

/** The state by the session's status and the prompt's own. */
export function promptStateOf(prompt: Prompt, session: Session | undefined): PromptState {
  if (isSettled(prompt)) return "ended";
  const { uid = "" } = prompt.metadata;
  const { currentPrompt, queue = [] } = session?.status ?? {};
  if (currentPrompt?.uid === uid) return "processing";
  return queue.includes(uid) ? "waiting" : "created";
}
