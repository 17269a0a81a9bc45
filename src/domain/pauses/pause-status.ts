import type { Automation } from "../../api/v1alpha1/automation.ts";
import type { AutomationStatus } from "../../api/v1alpha1/automation-status.ts";
import { annotations, conditionTypes } from "../../api/v1alpha1/names.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import { type Mark, type MarkedAt, withMarks } from "../conditions.ts";
import { type Tally, failureLimit, tallyOf } from "./tally.ts";

type Observed = Pick<Automation, "metadata" | "spec" | "status">;

export type PauseReason = typeof reasons.suspended | typeof reasons.tooManyFailures;

/** Why the automation starts no Runs; undefined when it does. A requested resume counts at once. */
export function pauseReason(automation: Observed): PauseReason | undefined {
  return reasonFor(automation, tallyOf(automation));
}

/** The status with this tally and the Paused condition that follows from it. */
export function withTally(automation: Observed, tally: Tally, at: MarkedAt): AutomationStatus {
  const { status } = automation;
  const { consecutiveFailures, counted, resumeHandledAt } = tally;
  const reason = reasonFor(automation, tally);
  return {
    ...status,
    consecutiveFailures,
    strikes: counted.length > 0 ? [...counted] : undefined,
    resumeHandledAt,
    // A paused schedule has no next slot, whichever controller notices the pause first.
    nextScheduleTime: reason === undefined ? status?.nextScheduleTime : undefined,
    conditions: withMarks(status?.conditions, [pausedMark(reason)], at),
  };
}

function reasonFor({ spec }: Observed, { pausedByFailures }: Tally): PauseReason | undefined {
  // Only the reason records a pause by failures, so it has priority over the pause by hand.
  if (pausedByFailures) return reasons.tooManyFailures;
  return spec.suspend ? reasons.suspended : undefined;
}

function pausedMark(reason: PauseReason | undefined): Mark {
  const type = conditionTypes.paused;
  switch (reason) {
    case reasons.tooManyFailures:
      return {
        type,
        status: "True",
        reason,
        message: `${failureLimit} consecutive Runs failed; nothing starts until it is resumed by a new value of the annotation ${annotations.resumeRequestedAt}`,
      };
    case reasons.suspended:
      return { type, status: "True", reason, message: "Nothing starts while spec.suspend is true" };
    case undefined:
      return { type, status: "False", reason: reasons.notPaused, message: "Runs start" };
  }
}
