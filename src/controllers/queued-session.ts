import { conditionTypes } from "../api/v1alpha1/names.ts";
import { type Reason, reasons } from "../api/v1alpha1/reasons.ts";
import type { Session } from "../api/v1alpha1/session.ts";
import { findCondition } from "../domain/conditions.ts";

/** Whether a session waits for a place in its class, or until fewer of its parent's children are at work. */
export function isQueued({ status }: Pick<Session, "status">): boolean {
  return findCondition(status?.conditions, conditionTypes.ready)?.reason === reasons.queued;
}

/** Why a sandbox does not start yet, as its pod or its node says. */
const held: ReadonlySet<string> = new Set<Reason>([
  reasons.unschedulable,
  reasons.imagePullFailed,
  reasons.containerNotStarted,
  reasons.startFailuresRepeated,
]);

/** Whether a session's sandbox does not start, though it has a place. */
export function isHeld({ status }: Pick<Session, "status">): boolean {
  return held.has(findCondition(status?.conditions, conditionTypes.ready)?.reason ?? "");
}
