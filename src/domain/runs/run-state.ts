import type { Condition } from "../../api/v1alpha1/conditions.ts";
import { conditionTypes } from "../../api/v1alpha1/names.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { Run } from "../../api/v1alpha1/run.ts";
import { findCondition } from "../conditions.ts";

/** The Run's Succeeded condition; undefined until the controller has set it. */
export function succeededOf(run: Run): Condition | undefined {
  return findCondition(run.status?.conditions, conditionTypes.succeeded);
}

/** Whether the Run has ended; its verdict never changes again. */
export function isSettled(run: Run): boolean {
  const succeeded = succeededOf(run);
  return succeeded !== undefined && succeeded.status !== "Unknown";
}

/** Whether the Run was started; it may have ended since. */
export function isStarted(run: Run): boolean {
  return run.status?.startTime !== undefined;
}

/** Whether the Run counts as active: started and not ended. */
export function isActive(run: Run): boolean {
  return isStarted(run) && !isSettled(run);
}

export function isCompleted(run: Run): boolean {
  return succeededOf(run)?.status === "True";
}

/** Whether the Run ended without having started. */
export function isSkipped(run: Run): boolean {
  return stateOf(run) === reasons.skipped;
}

/** The Run's state as people see it. */
export function stateOf(run: Run): string {
  return succeededOf(run)?.reason ?? reasons.pending;
}

/** Why an unsuccessful Run ended, in more detail than its state. */
export function causeOf(run: Run): string | undefined {
  return findCondition(run.status?.conditions, conditionTypes.stalled)?.reason;
}

/** From when the start deadline counts, as RFC 3339: a missed slot fires later than it was due. */
export function firedAt(run: Run): string {
  return run.spec.trigger.firedTime ?? acceptedAt(run);
}

/** When the delivery was received, the slot was due or a person fired it, as RFC 3339. */
export function acceptedAt(run: Run): string {
  const { time } = run.spec.trigger;
  const created = run.metadata.creationTimestamp ?? new Date(0).toISOString();
  return time === undefined || Number.isNaN(Date.parse(time)) ? created : time;
}
