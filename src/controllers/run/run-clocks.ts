import { reasons } from "../../api/v1alpha1/reasons.ts";
import { type Deadline, deadlineAfter } from "../../domain/clocks/deadline.ts";
import { startDeadlineMs, sweepGraceMs } from "../../domain/clocks/limits.ts";

/** When a Run without a status is too old to start, so that restored or re-applied Runs never start again. */
export function startDeadline(triggerTime: string): Deadline {
  return deadlineAfter(triggerTime, startDeadlineMs, reasons.startDeadlineExceeded);
}

/** When a started Run without a result fails; `executionBudgetMs` is the budget it started with. */
export function sweepDeadline(startTime: string, executionBudgetMs: number): Deadline {
  return deadlineAfter(startTime, executionBudgetMs + sweepGraceMs, reasons.executionTimeout);
}
