import type { Automation } from "../../api/v1alpha1/automation.ts";
import { annotations } from "../../api/v1alpha1/names.ts";

/** A change of an Automation that a person asked for, as a JSON merge patch. */
export interface AutomationPatch {
  metadata?: { annotations: Record<string, string> };
  spec?: { suspend: boolean };
}

/** Pauses by hand; on what is paused already it changes nothing. */
export function pausePatch(): AutomationPatch {
  return { spec: { suspend: true } };
}

/**
 * Lifts both kinds of pause and starts the count of failures anew, as of `at`. The spec is left out where it says so
 * already: whoever manages it, Git perhaps, stays its only owner.
 */
export function resumePatch({ spec }: { spec: Pick<Automation["spec"], "suspend"> }, at: Date): AutomationPatch {
  return {
    metadata: { annotations: { [annotations.resumeRequestedAt]: at.toISOString() } },
    ...(spec.suspend ? { spec: { suspend: false } } : {}),
  };
}
