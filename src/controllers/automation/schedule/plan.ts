import { type Automation, type AutomationStatus, reasons, type Run } from "../../../api/v1alpha1/index.ts";
import { pauseReason } from "../../../domain/failures/index.ts";
import { dueSlot, isMissed, readSchedule, type ScheduleProblem } from "../../../domain/schedule/index.ts";
import type { EventFacts } from "../../../kube/event-recorder.ts";
import { makeSlotRun, slotText } from "./resources.ts";

export interface SchedulePlan {
  /** The Run of a due slot, and what people are told of it when it was missed. */
  firing?: { run: Run; news: Omit<EventFacts, "regarding"> | undefined } | undefined;
  times: Pick<AutomationStatus, "nextScheduleTime" | "lastScheduleTime">;
  /** Why there are no slots; undefined where there are, and for what is no schedule. */
  problem?: ScheduleProblem | undefined;
  /** Milliseconds until the automation must be looked at again. */
  requeueMs?: number | undefined;
}

/** Timers do not notice that somebody sets the clock, so the next slot is looked at again at least this often. */
const longestWaitMs = 600_000;

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
  const { slot, next } = dueSlot(schedule, nextScheduleTime, now);
  return {
    firing: slot && {
      run: makeSlotRun(automation, slot, now),
      news: isMissed(slot, now) ? missed(slot, now) : undefined,
    },
    times: {
      nextScheduleTime: next && slotText(next),
      lastScheduleTime: slot ? slotText(slot) : lastScheduleTime,
    },
    requeueMs: next && Math.min(next.getTime() - now.getTime(), longestWaitMs),
  };
}

function missed(slot: Date, now: Date): Omit<EventFacts, "regarding"> {
  const note = `The slot of ${slotText(slot)} is fired at ${now.toISOString()}, once for all slots that were missed until then`;
  return { type: "Warning", reason: reasons.missedSchedule, note };
}
