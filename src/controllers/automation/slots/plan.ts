import { type Automation, type AutomationStatus, reasons, type Run } from "../../../api/v1alpha1/index.ts";
import { lookAfterMs } from "../../../domain/clocks/deadline.ts";
import { pauseReason } from "../../../domain/pauses/pause-status.ts";
import { type Due, dueSlot, isMissed } from "./due.ts";
import { readSchedule, type ScheduleProblem } from "./problem.ts";
import type { EventFacts } from "../../../kube/event-recorder.ts";
import { makeSlotRun, slotText } from "./resources.ts";

export type SlotTimes = Pick<AutomationStatus, "nextScheduleTime" | "lastScheduleTime">;

/** A slot that is due. */
export interface Firing {
  run: Run;
  /** What people are told when it was missed. */
  news: Omit<EventFacts, "regarding"> | undefined;
  /** Where the slot turns out to be fired already, only the ones after it were missed. */
  timesWhenRepeated: SlotTimes;
}

export interface SchedulePlan {
  firing?: Firing | undefined;
  times: SlotTimes;
  /** Why there are no slots; undefined where there are, and for what is no schedule. */
  problem?: ScheduleProblem | undefined;
  /** Milliseconds until the automation must be looked at again. */
  requeueMs?: number | undefined;
}

/** Which slot of its schedule an automation must be fired for now, and which comes next. */
export function planSchedule(automation: Automation, now: Date): SchedulePlan {
  const { trigger } = automation.spec;
  const { nextScheduleTime, lastScheduleTime } = automation.status ?? {};
  const none = { nextScheduleTime: undefined, lastScheduleTime };
  if (trigger.type !== "Schedule") return { times: none };
  const schedule = readSchedule(trigger);
  if ("reason" in schedule) return { times: none, problem: schedule };
  // What would have been due meanwhile is not made up for.
  if (pauseReason(automation) !== undefined) return { times: none };
  const due = dueSlot(schedule, nextScheduleTime, now);
  const { slot, next } = due;
  return {
    firing: slot && firingOf(automation, { ...due, slot }, now),
    times: slot ? timesAfter(slot, next) : { ...none, nextScheduleTime: next && slotText(next) },
    requeueMs: next && lookAfterMs(next.getTime(), now),
  };
}

function firingOf(automation: Automation, { slot, following }: Due & { slot: Date }, now: Date): Firing {
  return {
    run: makeSlotRun(automation, slot, now),
    news: isMissed(slot, now) ? missed(slot, now) : undefined,
    timesWhenRepeated: timesAfter(slot, following),
  };
}

function timesAfter(slot: Date, next: Date | undefined): SlotTimes {
  return { nextScheduleTime: next && slotText(next), lastScheduleTime: slotText(slot) };
}

function missed(slot: Date, now: Date): Omit<EventFacts, "regarding"> {
  const note = `The slot of ${slotText(slot)} is fired at ${now.toISOString()}, once for all slots that were missed until then`;
  return { type: "Warning", reason: reasons.missedSchedule, note };
}
