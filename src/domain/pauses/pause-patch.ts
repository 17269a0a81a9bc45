import type { Automation } from "../../api/v1alpha1/automation.ts";
import { annotations } from "../../api/v1alpha1/names.ts";

/** A JSON merge patch that pauses or resumes an Automation. */
export interface AutomationPatch {
  metadata?: { annotations: Record<string, string> };
  spec?: { suspend: boolean };
}

/** Pauses by hand; does nothing to a suspended automation. */
export function pausePatch(): AutomationPatch {
  return { spec: { suspend: true } };
}

/**
 * Lifts both kinds of pause and resets the count of failures, as of `at`. The spec is left out where `suspend` is
 * false, so that its manager, such as Git, stays its only owner.
 */
export function resumePatch({ spec }: { spec: Pick<Automation["spec"], "suspend"> }, at: Date): AutomationPatch {
  return {
    metadata: { annotations: { [annotations.resumeRequestedAt]: at.toISOString() } },
    ...(spec.suspend ? { spec: { suspend: false } } : {}),
  };
}
