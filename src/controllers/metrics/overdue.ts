import type { Run } from "../../api/v1alpha1/run.ts";
import { isSettled } from "../../domain/runs/run-state.ts";

/** A deadline that passed this long ago, in milliseconds, is one that nobody acted on; a busy controller takes seconds. */
export const overdueAfterMs = 60_000;

/** How many Runs have not ended although their deadline has long passed. */
export function countOverdue(runs: readonly Run[], now: Date): number {
  const latest = now.getTime() - overdueAfterMs;
  return runs.filter((run) => !isSettled(run) && Date.parse(run.status?.nextDeadline?.time ?? "") <= latest).length;
}
