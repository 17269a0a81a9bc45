import { conditionTypes } from "../api/v1alpha1/names.ts";
import { reasons } from "../api/v1alpha1/reasons.ts";
import type { Session } from "../api/v1alpha1/session.ts";
import { findCondition } from "../domain/conditions.ts";

/** Whether a session waits for a place in its class, or until fewer of its parent's children are at work. */
export function isQueued({ status }: Pick<Session, "status">): boolean {
  return findCondition(status?.conditions, conditionTypes.ready)?.reason === reasons.queued;
}
