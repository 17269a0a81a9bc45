import { type AutomationStatus, type Condition, conditionTypes, reasons } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import type { EventFacts } from "../../kube/event-recorder.ts";

type Event = Omit<EventFacts, "regarding">;

/** Events for the conditions of an automation that change; the usual first values of a new automation have none. */
export function transitions(before: AutomationStatus | undefined, after: AutomationStatus): Event[] {
  const events = [conditionTypes.ready, conditionTypes.paused, conditionTypes.keyIssued].flatMap((type) => {
    const old = findCondition(before?.conditions, type);
    const now = findCondition(after.conditions, type);
    if (!now || (old?.status === now.status && old.reason === now.reason)) return [];
    return isUsual(now, old) ? [] : [eventOf(now)];
  });
  // Two conditions may change for one reason, which needs one event.
  return events.filter(({ reason }, index) => events.findIndex((other) => other.reason === reason) === index);
}

function isUsual({ type, status }: Condition, old: Condition | undefined): boolean {
  if (old !== undefined) return false;
  return (type === conditionTypes.paused && status === "False") || type === conditionTypes.keyIssued;
}

function eventOf({ type, status, reason, message }: Condition): Event {
  if (type === conditionTypes.paused) {
    if (status === "False") return { type: "Normal", reason: reasons.resumed, note: message };
    return { type: reason === reasons.tooManyFailures ? "Warning" : "Normal", reason, note: message };
  }
  return { type: status === "True" ? "Normal" : "Warning", reason, note: message };
}
