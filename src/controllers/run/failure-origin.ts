import { type FailureOrigin, type ReasonMeaning, reasonMeanings } from "../../api/v1alpha1/reason-meanings.ts";
import type { Run } from "../../api/v1alpha1/run.ts";
import { isCompleted, isSettled, stateOf } from "../../domain/runs/run-state.ts";

/** Whether the agent or the platform failed a Run, or a person ended it; undefined for one under way, completed or never started. */
export function failureOrigin(run: Run): FailureOrigin | undefined {
  if (!isSettled(run) || isCompleted(run)) return undefined;
  const own = originOf(stateOf(run));
  const ofSessions = run.status?.sessions?.flatMap(({ reason = "" }) => originOf(reason) ?? []);
  return own && (sharedOrigin(ofSessions ?? []) ?? own);
}

/** Of several sessions a failure of the platform is the one that the operator has to see; undefined for a mixture without. */
function sharedOrigin(origins: readonly FailureOrigin[]): FailureOrigin | undefined {
  if (origins.includes("platform")) return "platform";
  return origins.length > 0 && origins.every((one) => one === "person") ? "person" : undefined;
}

function originOf(reason: string): FailureOrigin | undefined {
  const meanings: Readonly<Record<string, ReasonMeaning | undefined>> = reasonMeanings;
  return meanings[reason]?.failureOf;
}
