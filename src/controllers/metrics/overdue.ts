import type { Run } from "../../api/v1alpha1/run.ts";
import { isSettled } from "../../domain/runs/run-state.ts";

/** A Run is overdue this many milliseconds after its deadline; a busy controller takes seconds. */
export const overdueAfterMs = 60_000;

/** The number of Runs that have not ended {@link overdueAfterMs} after their deadline. */
export function countOverdue(runs: readonly Run[], now: Date): number {
  const latest = now.getTime() - overdueAfterMs;
  return runs.filter((run) => !isSettled(run) && Date.parse(run.status?.nextDeadline?.time ?? "") <= latest).length;
}
