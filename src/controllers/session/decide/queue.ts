import { conditionTypes } from "../../../api/v1alpha1/names.ts";
import type { Prompt, PromptStatus } from "../../../api/v1alpha1/prompt.ts";
import type { Reason } from "../../../api/v1alpha1/reasons.ts";
import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import { reachedCostLimit } from "../../../domain/costs/limit.ts";
import { isSettled } from "../../../domain/prompts/prompt-state.ts";
import { longestQueue } from "../../../domain/prompts/queue-limit.ts";
import type { SessionFacts } from "../facts.ts";

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

/** Those that there is something to do for now: none that would start at or over the cost limit. */
export function workOf(
  { session, prompts }: Pick<SessionFacts, "session" | "prompts">,
  status: SessionStatus,
): Prompt[] {
  const line = lineOf({ session, prompts });
  if (!reachedCostLimit({ spec: session.spec, status })) return unfinishedOf(line);
  return line.current ? [line.current] : [];
}

/** The status of a prompt that has failed for this reason. */
export function failedStatus(
  prompt: Prompt,
  { reason, message }: { reason: Reason; message: string },
  now: Date,
): PromptStatus {
  const time = now.toISOString();
  const { generation = 0 } = prompt.metadata;
  const verdict = { reason, message, lastTransitionTime: time, observedGeneration: generation };
  return {
    ...prompt.status,
    conditions: [
      { type: conditionTypes.succeeded, status: "False", ...verdict },
      // A failed one-shot object is stalled, or tools would wait for it.
      { type: conditionTypes.stalled, status: "True", ...verdict },
    ],
    completionTime: time,
    observedGeneration: generation,
  };
}
