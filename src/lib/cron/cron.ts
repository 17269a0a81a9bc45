import { CronError, cronFields, parseField } from "./field.ts";
import { longestMonths } from "./month-lengths.ts";

/** The wall-clock times that a 5-field cron expression selects; lists are ascending. */
export interface Cron {
  minutes: readonly number[];
  hours: readonly number[];
  daysOfMonth: readonly number[];
  months: readonly number[];
  /** 0 to 6 from Sunday. */
  daysOfWeek: readonly number[];
  /** Both kinds of day are restricted, so that either suffices. */
  isEitherDay: boolean;
}

/** Reads an expression. Throws a {@link CronError} for what is no expression and for days that no year has. */
export function parseCron(text: string): Cron {
  const fields = text.split(/[ \t\n\v\f\r]+/).filter((field) => field !== "");
  const [minute, hour, dayOfMonth, month, dayOfWeek, ...more] = fields;
  if (minute === undefined || hour === undefined || dayOfMonth === undefined || month === undefined)
    throw notFive(fields);
  if (dayOfWeek === undefined || more.length > 0) throw notFive(fields);
  const cron = {
    minutes: parseField(minute, cronFields.minute),
    hours: parseField(hour, cronFields.hour),
    daysOfMonth: parseField(dayOfMonth, cronFields.dayOfMonth),
    months: parseField(month, cronFields.month),
    daysOfWeek: weekdays(parseField(dayOfWeek, cronFields.dayOfWeek)),
    isEitherDay: dayOfMonth !== "*" && dayOfWeek !== "*",
  };
  if (isImpossible(cron)) {
    throw new CronError(`day of month "${dayOfMonth}" never comes in month "${month}", so there would be no slot`);
  }
  return cron;
}

function notFive(fields: readonly string[]): CronError {
  const wanted = "minute, hour, day of month, month and day of week";
  return new CronError(
    `it has ${fields.length === 1 ? "1 field" : `${fields.length} fields`} and must have 5: ${wanted}`,
  );
}

function weekdays(values: readonly number[]): number[] {
  return [...new Set(values.map((value) => value % 7))].sort((a, b) => a - b);
}

function isImpossible({ daysOfMonth, months, isEitherDay }: Cron): boolean {
  if (isEitherDay) return false;
  const firstDay = daysOfMonth[0] ?? 0;
  return months.every((month) => firstDay > (longestMonths[month - 1] ?? 0));
}
