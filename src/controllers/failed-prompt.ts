import { conditionTypes } from "../api/v1alpha1/names.ts";
import type { Prompt, PromptStatus } from "../api/v1alpha1/prompt.ts";
import type { Session } from "../api/v1alpha1/session.ts";
import { withMarks, withoutConditions } from "../domain/conditions.ts";

/**
 * The status of a prompt that ends now, without the agent's verdict, for this reason. `session` says since when it was
 * processed, if it was.
 */
export function failedStatus(
  prompt: Prompt,
  failure: { reason: string; message: string },
  now: Date,
  session: Pick<Session, "status"> | undefined,
): PromptStatus {
  const { metadata, status } = prompt;
  const startTime = status?.startTime ?? begunAt(prompt, session);
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
    ...(startTime === undefined ? {} : { startTime }),
    conditions: withMarks(known, marks, { now, generation }),
    completionTime: now.toISOString(),
    observedGeneration: generation,
  };
}

function begunAt({ metadata }: Prompt, session: Pick<Session, "status"> | undefined): string | undefined {
  const { currentPrompt } = session?.status ?? {};
  return currentPrompt?.uid === metadata.uid ? currentPrompt?.startTime : undefined;
}
