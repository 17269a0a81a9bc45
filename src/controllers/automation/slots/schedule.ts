import type { Automation } from "../../../api/v1alpha1/index.ts";
import { pauseReason } from "../../../domain/pauses/pause-status.ts";
import type { ObjectKey } from "../../../lib/resource.ts";
import { type Due, dueSlot } from "./due.ts";
import { readSchedule, type ScheduleProblem } from "./problem.ts";
import { slotRunName } from "./run-name.ts";

/** The schedule of an automation at an instant. An automation without a schedule or paused has no slots. */
export type Schedule =
  { state: "none" } | { state: "invalid"; problem: ScheduleProblem } | ({ state: "running" } & Due);

export function scheduleAt(automation: Automation, now: Date): Schedule {
  const { spec, status } = automation;
  if (spec.trigger.type !== "Schedule") return { state: "none" };
  const schedule = readSchedule(spec.trigger);
  if ("reason" in schedule) return { state: "invalid", problem: schedule };
  // Slots that pass during a pause are not made up for.
  if (pauseReason(automation) !== undefined) return { state: "none" };
  return { state: "running", ...dueSlot(schedule, status?.nextScheduleTime, now) };
}

/** The key of the Run that the due slot has or gets; undefined when no slot is due. */
export function dueRunKey({ metadata }: Automation, schedule: Schedule): ObjectKey | undefined {
  if (schedule.state !== "running" || !schedule.slot) return undefined;
  const { namespace, name = "", uid = "" } = metadata;
  return { namespace, name: slotRunName({ name, uid }, schedule.slot) };
}
