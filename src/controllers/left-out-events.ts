import type { EventBound, EventsLeftOut } from "../api/runtime/events-left-out.ts";
import { conditionTypes } from "../api/v1alpha1/names.ts";
import { reasons } from "../api/v1alpha1/reasons.ts";
import type { Mark } from "../domain/conditions.ts";

const reasonOf = {
  session: reasons.eventsFull,
  namespace: reasons.eventsOverBudget,
  total: reasons.eventsOverBudget,
} as const satisfies Record<EventBound, string>;

/** The warning that events were not kept. */
export function leftOutMark({ bound, message }: EventsLeftOut): Mark {
  return { type: conditionTypes.eventsLeftOut, status: "True", reason: reasonOf[bound], message };
}
