import { reasons } from "../../api/v1alpha1/reasons.ts";
import { type Deadline, deadlineAfter } from "../../domain/clocks/deadline.ts";
import { startDeadlineMs, sweepGraceMs } from "../../domain/clocks/limits.ts";

/** When a Run that has no status yet is too old to start: restored or re-applied Runs never fire again. */
export function startDeadline(triggerTime: string): Deadline {
  return deadlineAfter(triggerTime, startDeadlineMs, reasons.startDeadlineExceeded);
}

/** When a started Run whose result never came is failed; `executionBudgetMs` is the budget it started with. */
export function sweepDeadline(startTime: string, executionBudgetMs: number): Deadline {
  return deadlineAfter(startTime, executionBudgetMs + sweepGraceMs, reasons.executionTimeout);
}
