import { conditionTypes } from "../../api/v1alpha1/names.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import { findCondition } from "../../domain/conditions.ts";

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

/** How many sessions wait for a place in their class. */
export function queuedSessions(sessions: readonly Session[]): number {
  return sessions.filter(
    ({ status }) => findCondition(status?.conditions, conditionTypes.ready)?.reason === reasons.queued,
  ).length;
}
