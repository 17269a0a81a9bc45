import type { Automation } from "../../api/v1alpha1/automation.ts";
import { conditionTypes } from "../../api/v1alpha1/names.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { Run } from "../../api/v1alpha1/run.ts";
import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import type { Condition } from "../../api/v1alpha1/conditions.ts";
import { findCondition } from "../../domain/conditions.ts";
import { isSettled } from "../../domain/runs/run-state.ts";
import { parseKey } from "../../lib/resource.ts";
import { isQueued } from "../queued-session.ts";
import { placesForChildren } from "../sandbox/start/slots.ts";

interface Conditioned {
  status?: { conditions?: Condition[] | undefined } | undefined;
}

/** A Run is overdue this many milliseconds after its deadline; a busy controller takes seconds. */
export const overdueAfterMs = 60_000;

/** The number of Runs that have not ended {@link overdueAfterMs} after their deadline. */
export function countOverdue(runs: readonly Run[], now: Date): number {
  const latest = now.getTime() - overdueAfterMs;
  return runs.filter((run) => !isSettled(run) && Date.parse(run.status?.nextDeadline?.time ?? "") <= latest).length;
}

/** The number of automations that their status shows as paused, for each reason. */
export function pausedCounts(automations: readonly Pick<Automation, "status">[]): ReadonlyMap<string, number> {
  const shown = automations.map(({ status }) => findCondition(status?.conditions, conditionTypes.paused));
  const countOf = (reason: string): number => {
    return shown.filter((paused) => paused?.status === "True" && paused.reason === reason).length;
  };
  return new Map([reasons.suspended, reasons.tooManyFailures].map((reason) => [reason, countOf(reason)]));
}

/** Of the class that is fullest, the share of its places that is taken; 0 without classes, 1 where one allows none. */
export function fullestClass(
  classes: readonly Pick<SandboxClass, "metadata" | "spec">[],
  taken: (className: string) => number,
): number {
  const shares = classes.map(({ metadata, spec }) =>
    spec.maxSandboxes === 0 ? 1 : taken(metadata.name ?? "") / spec.maxSandboxes,
  );
  return Math.max(0, ...shares);
}

/**
 * How often a namespace has all the places of a class that its maxSandboxesPerNamespace leaves to sessions that are no children:
 * a further one waits.
 */
export function fullNamespaces(
  classes: readonly Pick<SandboxClass, "metadata" | "spec">[],
  podKeysOf: (className: string) => ReadonlySet<string>,
): number {
  const ofClass = ({ metadata, spec }: Pick<SandboxClass, "metadata" | "spec">): number => {
    const { maxSandboxesPerNamespace: most } = spec;
    if (most === undefined) return 0;
    const byNamespace = Map.groupBy(podKeysOf(metadata.name ?? ""), (key) => parseKey(key).namespace);
    return [...byNamespace.values()].filter((keys) => keys.length >= most - placesForChildren(most)).length;
  };
  return classes.reduce((sum, one) => sum + ofClass(one), 0);
}

/** How many sessions have a sandbox that is up and could not be saved at the last try. */
export function unsavedSessions(sessions: readonly Session[]): number {
  return sessions.filter(({ status }) => {
    const isUp = status?.sandbox !== undefined && status.sandbox.endTime === undefined;
    return isUp && findCondition(status.conditions, conditionTypes.workspaceSaved)?.status === "False";
  }).length;
}

/** How many objects say of themselves that a condition has this status. */
export function countWith(
  objects: readonly Conditioned[],
  { type, status }: { type: string; status: "True" | "False" },
): number {
  return objects.filter((object) => findCondition(object.status?.conditions, type)?.status === status).length;
}

/** How many sessions wait for a place in their class. */
export function queuedSessions(sessions: readonly Session[]): number {
  return sessions.filter(isQueued).length;
}
