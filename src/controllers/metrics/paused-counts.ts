import type { Automation } from "../../api/v1alpha1/automation.ts";
import { conditionTypes } from "../../api/v1alpha1/names.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import { findCondition } from "../../domain/conditions.ts";

/** The number of automations that their status shows as paused, for each reason. */
export function pausedCounts(automations: readonly Pick<Automation, "status">[]): ReadonlyMap<string, number> {
  const shown = automations.map(({ status }) => findCondition(status?.conditions, conditionTypes.paused));
  const countOf = (reason: string): number => {
    return shown.filter((paused) => paused?.status === "True" && paused.reason === reason).length;
  };
  return new Map([reasons.suspended, reasons.tooManyFailures].map((reason) => [reason, countOf(reason)]));
}
