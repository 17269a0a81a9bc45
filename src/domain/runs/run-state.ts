import type { Condition } from "../../api/v1alpha1/conditions.ts";
import { conditionTypes } from "../../api/v1alpha1/names.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { Run } from "../../api/v1alpha1/run.ts";
import { findCondition } from "../conditions.ts";

/** The Run's verdict so far; undefined until the controller has looked at it. */
export function succeededOf(run: Run): Condition | undefined {
  return findCondition(run.status?.conditions, conditionTypes.succeeded);
}

/** The verdict is given and stays. */
export function isSettled(run: Run): boolean {
  const succeeded = succeededOf(run);
  return succeeded !== undefined && succeeded.status !== "Unknown";
}

/** The Run was started, though it may have ended since. */
export function isStarted(run: Run): boolean {
  return run.status?.startTime !== undefined;
}

/** Started and not ended: what counts as a run of the automation that is active. */
export function isActive(run: Run): boolean {
  return isStarted(run) && !isSettled(run);
}

export function isCompleted(run: Run): boolean {
  return succeededOf(run)?.status === "True";
}

/** What people see as the Run's state. */
export function stateOf(run: Run): string {
  return succeededOf(run)?.reason ?? reasons.pending;
}

/** Why a Run that is no success has ended, more exactly than its state says. */
export function causeOf(run: Run): string | undefined {
  return findCondition(run.status?.conditions, conditionTypes.stalled)?.reason;
}

/** From when on the Run may be too old to start: a slot that was missed is fired later than it was due. */
export function firedAt(run: Run): string {
  return run.spec.trigger.firedTime ?? acceptedAt(run);
}

/** When the delivery was received, the slot was due or the person asked, as RFC 3339. */
export function acceptedAt(run: Run): string {
  const { time } = run.spec.trigger;
  const created = run.metadata.creationTimestamp ?? new Date(0).toISOString();
  return time === undefined || Number.isNaN(Date.parse(time)) ? created : time;
}
