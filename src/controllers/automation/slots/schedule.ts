import { type Automation, reasons } from "../../../api/v1alpha1/index.ts";
import { IntervalError, parseScheduleCron } from "../../../api/v1alpha1/schedule-cron.ts";
import type { Trigger } from "../../../api/v1alpha1/trigger.ts";
import { pauseReason } from "../../../domain/pauses/pause-status.ts";
import type { Cron } from "../../../lib/cron/cron.ts";
import { CronError } from "../../../lib/cron/field.ts";
import type { ObjectKey } from "../../../lib/resource.ts";
import { type TimeZone, timeZoneOf } from "../../../lib/time-zone.ts";
import { slotRunName } from "./resources.ts";
import { nextSlot } from "./slots.ts";

/** The schedule of an automation at an instant. An automation without a schedule or paused has no slots. */
export type Schedule =
  { state: "none" } | { state: "invalid"; problem: ScheduleProblem } | ({ state: "running" } & Due);

/** Why a stored schedule has no slots; the message names the field, its value and the limit. */
export interface ScheduleProblem {
  reason: typeof reasons.invalidSchedule | typeof reasons.intervalTooShort | typeof reasons.unknownTimeZone;
  message: string;
}

/** The slots of a schedule around an instant. */
interface Due {
  /** The slot to fire now; the first where several were missed. */
  slot: Date | undefined;
  /** The first slot after an instant. */
  after: (instant: Date) => Date | undefined;
  /** The first slot after now; undefined when there is none. */
  next: Date | undefined;
}

/** A schedule as slots are computed from it. */
interface ReadSchedule {
  cron: Cron;
  zone: TimeZone;
}

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

/**
 * Reads the schedule of a trigger. An invalid one may be stored: under an older schema, without the admission policies,
 * or with a zone that only the API server's tz data knows.
 */
function readSchedule({ schedule }: Trigger): ReadSchedule | ScheduleProblem {
  const { cron: text = "", timeZone = "UTC" } = schedule ?? {};
  const zone = timeZoneOf(timeZone);
  if (!zone) {
    const message = `spec.trigger.schedule.timeZone: "${timeZone}" is no time zone that the controller's tz data knows`;
    return { reason: reasons.unknownTimeZone, message };
  }
  try {
    return { cron: parseScheduleCron(text), zone };
  } catch (error) {
    const message = `spec.trigger.schedule.cron: "${text}": ${error instanceof Error ? error.message : ""}`;
    if (error instanceof CronError) return { reason: reasons.invalidSchedule, message };
    if (error instanceof IntervalError) return { reason: reasons.intervalTooShort, message };
    throw error;
  }
}

/**
 * Decides by the slot that was stored as the next one. It is fired when its time has come, once for all slots that were
 * missed since, but only while the schedule still has it: an edited schedule has no slots in the past.
 */
function dueSlot({ cron, zone }: ReadSchedule, stored: string | undefined, now: Date): Due {
  const after = (instant: Date): Date | undefined => nextSlot(cron, zone, instant);
  const next = after(now);
  const storedMs = stored === undefined ? NaN : Date.parse(stored);
  // False for NaN as well.
  if (!(storedMs <= now.getTime())) return { slot: undefined, next, after };
  const isSlot = after(new Date(storedMs - 1))?.getTime() === storedMs;
  if (!isSlot) return { slot: undefined, next, after };
  return { slot: new Date(storedMs), next, after };
}
