import { conditionTypes } from "../../../api/v1alpha1/names.ts";
import type { Prompt, PromptStatus } from "../../../api/v1alpha1/prompt.ts";
import type { Reason } from "../../../api/v1alpha1/reasons.ts";

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
