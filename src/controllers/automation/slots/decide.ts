import { type AutomationStatus, reasons, type Run } from "../../../api/v1alpha1/index.ts";
import { lookAfterMs } from "../../../domain/clocks/deadline.ts";
import { firedAt } from "../../../domain/runs/run-state.ts";
import type { EventFacts } from "../../../kube/event-recorder.ts";
import type { AutomationFacts } from "../facts.ts";
import { isMissed, isSameFiring, makeSlotRun, slotText } from "./resources.ts";
import type { ScheduleProblem } from "./schedule.ts";

export type SlotTimes = Pick<AutomationStatus, "nextScheduleTime" | "lastScheduleTime">;
type Event = Omit<EventFacts, "regarding">;

/** A slot that is due and has no Run yet. */
export interface Firing {
  run: Run;
  events: readonly Event[];
}

export interface SlotDecision {
  firing?: Firing | undefined;
  times: SlotTimes;
  /** Recorded once the times are written. */
  events?: readonly Event[] | undefined;
  /** Why there are no slots; undefined where there are, and for other triggers. */
  problem?: ScheduleProblem | undefined;
  /** Milliseconds until the next slot is looked at. */
  requeueMs?: number | undefined;
}

type SlotFacts = Pick<AutomationFacts, "automation" | "schedule" | "slotRun">;

/** Decides which slot of its schedule an automation fires now, and which comes next. */
export function decideSlot({ automation, schedule, slotRun }: SlotFacts, now: Date): SlotDecision {
  const { lastScheduleTime } = automation.status ?? {};
  const none = { nextScheduleTime: undefined, lastScheduleTime };
  if (schedule.state === "none") return { times: none };
  if (schedule.state === "invalid") return { times: none, problem: schedule.problem };
  const { slot, next, after } = schedule;
  const requeueMs = next && lookAfterMs(next.getTime(), now);
  if (!slot) return { times: { ...none, nextScheduleTime: next && slotText(next) }, requeueMs };
  const run = makeSlotRun(automation, slot, now);
  const times = timesAfter(slot, next);
  if (!slotRun) return { firing: { run, events: isMissed(slot, now) ? [missed(slot, now)] : [] }, times, requeueMs };
  // Fired already, by a pass or a controller that could not write the status.
  if (isSameFiring(slotRun, run)) return { times: timesAfter(slot, after(coveredUntil(slotRun, now))), requeueMs: 0 };
  return { times, events: [nameTaken(run)], requeueMs };
}

/** A Run of a missed slot stands for all slots until it was fired. */
function coveredUntil(slotRun: Run, now: Date): Date {
  return new Date(Math.min(Date.parse(firedAt(slotRun)), now.getTime()));
}

function timesAfter(slot: Date, next: Date | undefined): SlotTimes {
  return { nextScheduleTime: next && slotText(next), lastScheduleTime: slotText(slot) };
}

function missed(slot: Date, now: Date): Event {
  const note = `The slot of ${slotText(slot)} is fired at ${now.toISOString()}, once for all slots that were missed until then`;
  return { type: "Warning", reason: reasons.missedSchedule, note };
}

function nameTaken({ metadata, spec }: Run): Event {
  const note = `Run ${metadata.name ?? ""} is not of the slot ${spec.trigger.time ?? ""}, which was not fired`;
  return { type: "Warning", reason: reasons.nameTaken, note };
}
