import type { IntegrationEvent } from "../../api/v1alpha1/index.ts";
import type { KubeObject } from "../../lib/resource.ts";
import type { Verdict } from "./lifecycle.ts";
import { rulesOf } from "./rules.ts";

/** What becomes of a request that was stopped before it had a prompt. */
export const withdrawn: Verdict = {
  counted: "skipped",
  succeeded: true,
  reason: "NothingToDo",
  message: "It was stopped before it began",
};

/** The oldest first, as long as none was changed. */
export function byCreation(left: KubeObject, right: KubeObject): number {
  return Number(left.metadata.resourceVersion) - Number(right.metadata.resourceVersion);
}

/** Stops go first, so that none waits behind a request that waits itself; else the oldest goes first. */
export function inTurn(events: readonly IntegrationEvent[]): IntegrationEvent[] {
  const isStop = (event: IntegrationEvent): boolean => rulesOf(event).askOf(event) === "Stopped";
  const sorted = events.toSorted(byCreation);
  return [...sorted.filter(isStop), ...sorted.filter((event) => !isStop(event))];
}
