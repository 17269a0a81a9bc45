import type { AutomationStatus } from "../api/v1alpha1/automation-status.ts";
import type { Run } from "../api/v1alpha1/run.ts";
import { acceptedAt, isSettled, stateOf } from "../domain/runs/run-state.ts";

export interface Activity {
  activeRuns: number;
  lastRun?: AutomationStatus["lastRun"];
}

/** How many of the Runs have not ended, those that wait to be started included, and the newest of all. */
export function activityOf(runs: readonly Run[]): Activity {
  const newest = runs.reduce<Run | undefined>((last, run) => (last && !isNewer(run, last) ? last : run), undefined);
  const activeRuns = runs.filter((run) => !isSettled(run)).length;
  if (!newest) return { activeRuns };
  return { activeRuns, lastRun: shownRun(newest, stateOf(newest)) };
}

/** The Run as an automation's status shows it. */
export function shownRun(run: Run, reason: string): NonNullable<Activity["lastRun"]> {
  return { name: run.metadata.name ?? "", reason, time: acceptedAt(run) };
}

/** Of equal instants the greater name counts as newer, so that the answer does not depend on the order of the list. */
function isNewer(run: Run, other: Run): boolean {
  const differenceMs = Date.parse(acceptedAt(run)) - Date.parse(acceptedAt(other));
  return differenceMs === 0 ? (run.metadata.name ?? "") > (other.metadata.name ?? "") : differenceMs > 0;
}
