import { conditionTypes } from "../../api/v1alpha1/names.ts";
import type { Prompt } from "../../api/v1alpha1/prompt.ts";
import type { SessionStatus } from "../../api/v1alpha1/session.ts";
import type { SessionFacts } from "./facts.ts";

/** Unfinished prompts a session may have: processed, admitted or waiting for admission. */
export const longestQueue = 50;

/** Whether the prompt's verdict is there; it never changes again. */
export function isSettled(prompt: Prompt): boolean {
  const succeeded = prompt.status?.conditions?.find(({ type }) => type === conditionTypes.succeeded);
  return succeeded !== undefined && succeeded.status !== "Unknown";
}

/** What the session's prompts come to under the queue that was decided last. */
export interface PromptLine {
  /** Unfinished and admitted, in order. */
  admitted: readonly Prompt[];
  /** Unfinished, within the limit, not in the stored queue yet; in order. */
  admissible: readonly Prompt[];
  /** Unfinished and beyond the limit. */
  excess: readonly Prompt[];
  /** The prompt that is being processed, as far as it is still there. */
  current?: Prompt | undefined;
}

/** Sorts the session's prompts; what has ended or gone has left the line. */
export function lineOf({ session, prompts }: Pick<SessionFacts, "session" | "prompts">): PromptLine {
  const unfinished = new Map(
    prompts.filter((prompt) => !isSettled(prompt)).map((prompt) => [prompt.metadata.uid ?? "", prompt]),
  );
  const status: SessionStatus = session.status ?? {};
  const admitted = (status.queue ?? []).flatMap((uid) => unfinished.get(uid) ?? []);
  const queued = new Set(status.queue);
  const others = [...unfinished.values()].filter(({ metadata }) => !queued.has(metadata.uid ?? ""));
  const room = Math.max(0, longestQueue - admitted.length);
  const current = unfinished.get(status.currentPrompt?.uid ?? "");
  return { admitted, admissible: others.slice(0, room), excess: others.slice(room), current };
}

/** All that wait or are processed, the first one first. */
export function unfinishedOf({ admitted, admissible }: PromptLine): Prompt[] {
  return [...admitted, ...admissible];
}
