/** One of the five fields of a cron expression. */
export interface CronField {
  name: string;
  min: number;
  max: number;
  /** Names of the values from `min` on, upper-case. */
  names?: readonly string[];
}

export const monthNames = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"] as const;
export const weekdayNames = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"] as const;

export const cronFields = {
  minute: { name: "minute", min: 0, max: 59 },
  hour: { name: "hour", min: 0, max: 23 },
  dayOfMonth: { name: "day of month", min: 1, max: 31 },
  month: { name: "month", min: 1, max: 12, names: monthNames },
  /** 0 and 7 are both Sunday. */
  dayOfWeek: { name: "day of week", min: 0, max: 7, names: weekdayNames },
} as const satisfies Record<string, CronField>;

/** A text is not a schedule; the message names the field, its value and the limit. */
export class CronError extends Error {
  override readonly name = "CronError";
}

/** `*`, `a` or `a-b`, each perhaps with `/step`. */
const item = /^(?:\*|([0-9]{1,2}|[A-Za-z]{3})(?:-([0-9]{1,2}|[A-Za-z]{3}))?)(?:\/([0-9]{1,2}))?$/;

/** The values that one field selects, ascending and each once. Throws a {@link CronError}. */
export function parseField(text: string, field: CronField): number[] {
  const values = new Set(text.split(",").flatMap((part) => parseItem(part, field)));
  return [...values].sort((a, b) => a - b);
}

function parseItem(text: string, field: CronField): number[] {
  const parts = item.exec(text);
  if (!parts)
    throw problem(text, field, `must be *, a value, a range such as ${exampleRange(field)}, or one with a step`);
  const [, first, last, stepText] = parts;
  const step = stepText === undefined ? 1 : Number(stepText);
  if (step === 0) throw problem(text, field, "has a step of 0; steps are 1 to 99");
  const from = first === undefined ? field.min : valueOf(first, field);
  const to = lastValue({ first, last, stepText }, field);
  if (from > to) throw problem(text, field, `is a range from ${from} down to ${to}; ranges go upwards`);
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

/** `a/step` goes on to the end of the field, as `*` does. */
function lastValue(parts: Record<"first" | "last" | "stepText", string | undefined>, field: CronField): number {
  if (parts.last !== undefined) return valueOf(parts.last, field);
  const isOpen = parts.first === undefined || parts.stepText !== undefined;
  return isOpen ? field.max : valueOf(parts.first ?? "", field);
}

function valueOf(text: string, field: CronField): number {
  const named = field.names?.indexOf(text.toUpperCase()) ?? -1;
  const value = named >= 0 ? named + field.min : Number(text);
  if (value >= field.min && value <= field.max) return value;
  throw problem(text, field, "is out of bounds");
}

function problem(text: string, field: CronField, what: string): CronError {
  const names = field.names ? `, or ${field.names[0] ?? ""} to ${field.names.at(-1) ?? ""}` : "";
  return new CronError(`${field.name} "${text}" ${what}; values are ${field.min} to ${field.max}${names}`);
}

function exampleRange({ min }: CronField): string {
  return `${min}-${min + 4}`;
}
