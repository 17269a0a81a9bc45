import { type CronField, cronFields } from "../../lib/cron/field.ts";
import { lastDays as lastDaysOfMonths, longestMonths as longestOfMonths } from "../../lib/cron/month-lengths.ts";
import { shortestIntervalMinutes } from "./schedule-cron.ts";

const cron = "object.spec.trigger.schedule.cron";

/** CEL: the expression with the names replaced by numbers. */
const numbers = Object.values(cronFields).reduce((text, field: CronField) => {
  const named = (field.names ?? []).map((name, index) => `.replace('${name}', '${index + field.min}')`);
  return text + named.join("");
}, `${cron}.upperAscii()`);

/** CEL: `[from, to, step]` of each part of one field. */
function ranges(index: number, { min, max }: CronField): string {
  const parts = `variables.fields[${index}].split(',').map(part, part.split('/'))`;
  const from = `part[0] == '*' ? ${min} : int(part[0].split('-')[0])`;
  const to = `part[0].contains('-') ? int(part[0].split('-')[1]) : (part[0] == '*' || size(part) > 1) ? ${max} : int(part[0])`;
  return `${parts}.map(part, [${from}, ${to}, size(part) > 1 ? int(part[1]) : 1])`;
}

/** CEL: the values that the ranges of one field select, ascending. */
function values(variable: string, { min, max }: CronField): string {
  const all = Array.from({ length: max - min + 1 }, (_, index) => index + min).join(", ");
  const selects = "value >= range[0] && value <= range[1] && (value - range[0]) % range[2] == 0";
  return `[${all}].filter(value, variables.${variable}.exists(range, ${selects}))`;
}

const names = Object.keys(cronFields) as (keyof typeof cronFields)[];

/** Variables of {@link scheduleRules}; `fields` holds the expression's five fields. */
export const scheduleVariables = [
  { name: "fields", expression: `${numbers}.split(' ').filter(field, field != '')` },
  ...names.map((name, index) => ({ name: `${name}Ranges`, expression: ranges(index, cronFields[name]) })),
  ...(["minute", "hour", "dayOfMonth", "month"] as const).map((name) => ({
    name,
    expression: values(`${name}Ranges`, cronFields[name]),
  })),
  // 0 and 7 are both Sunday.
  { name: "weekday", expression: `${values("dayOfWeekRanges", cronFields.dayOfWeek)}.map(day, day % 7)` },
];

const quoted = `'spec.trigger.schedule.cron: "' + ${cron} + '" '`;

const upwards = names.map((name) => `variables.${name}Ranges.all(range, range[0] <= range[1])`);

const longestMonths = JSON.stringify(longestOfMonths);
const lastDays = JSON.stringify(lastDaysOfMonths);
const isEitherDay = "(variables.fields[2] != '*' && variables.fields[4] != '*')";
const hasDayOfMonth = `variables.month.exists(month, variables.dayOfMonth.exists(day, day <= ${longestMonths}[month - 1]))`;
const exists = [isEitherDay, hasDayOfMonth];

/** Whether a day and the one after it are ever selected, as `haveNeighbours` says. */
const ofWeek = "variables.weekday.exists(day, (day + 1) % 7 in variables.weekday)";
const isWithin = `(day + 1 in variables.dayOfMonth && day < ${longestMonths}[month - 1])`;
const isAtEnd = `(day in ${lastDays}[month - 1] && 1 in variables.dayOfMonth && month % 12 + 1 in variables.month)`;
const ofMonth = `variables.month.exists(month, variables.dayOfMonth.exists(day, ${isWithin} || ${isAtEnd}))`;
const haveNeighbours = `(${isEitherDay} ? ${ofWeek} || ${hasDayOfMonth} : ${ofWeek} && ${ofMonth})`;

/** Whether an hour is followed by a selected one, on the same day or over midnight. */
const sameDay = "variables.hour.exists(hour, hour + 1 in variables.hour)";
const overMidnight = `(23 in variables.hour && 0 in variables.hour && ${haveNeighbours})`;

/** Distances within an hour, and between the last slot of an hour and the first of the next. */
const apart = [
  `variables.minute.all(one, variables.minute.all(other, other <= one || other - one >= ${shortestIntervalMinutes}))`,
  `(60 - variables.minute.max() + variables.minute.min() >= ${shortestIntervalMinutes} || !(${sameDay} || ${overMidnight}))`,
];

/** Rules for cron expressions beyond the form of the fields, which the CRD checks. */
export const scheduleRules = [
  {
    expression: upwards.join(" && "),
    messageExpression: `${quoted} + 'has a range that goes downwards'`,
    reason: "Invalid" as const,
  },
  {
    // Descending ranges select nothing; the rule before reports them.
    expression: `size(variables.minute) == 0 || (${apart.join(" && ")})`,
    messageExpression: `${quoted} + 'has slots that are less than ${shortestIntervalMinutes} minutes apart'`,
    reason: "Invalid" as const,
  },
  {
    expression: `!(${upwards.join(" && ")}) || ${exists.join(" || ")}`,
    messageExpression: `${quoted} + 'has no slot: its days never come in its months'`,
    reason: "Invalid" as const,
  },
];
