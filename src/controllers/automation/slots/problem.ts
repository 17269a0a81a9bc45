import { reasons } from "../../../api/v1alpha1/reasons.ts";
import { IntervalError, parseScheduleCron } from "../../../api/v1alpha1/schedule.ts";
import type { Trigger } from "../../../api/v1alpha1/trigger.ts";
import { CronError } from "../../../lib/cron/field.ts";
import type { Cron } from "../../../lib/cron/cron.ts";
import { type TimeZone, timeZoneOf } from "../../../lib/time-zone.ts";

/** A schedule as slots are computed from it. */
export interface ReadSchedule {
  cron: Cron;
  zone: TimeZone;
}

/** Why a stored schedule has no slots; the message names the field, its value and the limit. */
export interface ScheduleProblem {
  reason: typeof reasons.invalidSchedule | typeof reasons.intervalTooShort | typeof reasons.unknownTimeZone;
  message: string;
}

/**
 * Reads the schedule of a trigger. An invalid one may be stored: under an older schema, without the admission policies,
 * or with a zone that only the API server's tz data knows.
 */
export function readSchedule({ schedule }: Trigger): ReadSchedule | ScheduleProblem {
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
