import { conditionTypes } from "../api/v1alpha1/names.ts";
import type { Prompt, PromptStatus } from "../api/v1alpha1/prompt.ts";
import { withMarks, withoutConditions } from "../domain/conditions.ts";

/** The status of a prompt that ends now, without the agent's verdict, for this reason. */
export function failedStatus(
  { metadata, status }: Prompt,
  failure: { reason: string; message: string },
  now: Date,
): PromptStatus {
  const { generation = 0 } = metadata;
  const { reason, message } = failure;
  const marks = [
    { type: conditionTypes.succeeded, status: "False" as const, reason, message },
    // A failed one-shot object is stalled, or tools would wait for it.
    { type: conditionTypes.stalled, status: "True" as const, reason, message },
  ];
  const known = withoutConditions(status?.conditions, [conditionTypes.reconciling]);
  return {
    ...status,
    conditions: withMarks(known, marks, { now, generation }),
    completionTime: now.toISOString(),
    observedGeneration: generation,
  };
}
