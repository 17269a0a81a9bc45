import fc from "fast-check";

import { IntervalError, parseScheduleCron } from "../../src/api/v1alpha1/schedule-cron.ts";
import { nextSlot, shortestIntervalMs } from "../../src/controllers/automation/slots/slots.ts";
import { type Cron, parseCron } from "../../src/lib/cron/cron.ts";
import { CronError } from "../../src/lib/cron/field.ts";
import { timeZoneOf } from "../../src/lib/time-zone.ts";
import { bounded, type NamedProperty, outcomeOf } from "./property.ts";

const atom = fc.oneof(
  fc.nat(70).map(String),
  fc.constantFrom("*", "MON", "jan", "Sun", "?", "L", "-1", "", "99999999999999999999"),
);
const item = fc
  .tuple(atom, fc.constantFrom("", "-"), atom, fc.constantFrom("", "/5", "/0", "/"), fc.nat(9))
  .map(([from, dash, to, step, digit]) => `${from}${dash}${dash === "" ? "" : to}${step}${step === "/" ? digit : ""}`);
const field = fc.oneof(
  { weight: 3, arbitrary: fc.constant("*") },
  { weight: 3, arbitrary: fc.nat(31).map(String) },
  { weight: 2, arbitrary: fc.array(item, { minLength: 1, maxLength: 4 }).map((items) => items.join(",")) },
);
const separator = fc.constantFrom(" ", "  ", "\t");
const expressions = fc.oneof(
  fc.string({ maxLength: 300 }),
  fc.array(fc.tuple(field, separator), { minLength: 4, maxLength: 7 }).map((parts) => parts.flat().join("").trim()),
  fc.constantFrom("@daily", "@reboot", "* * * * * *", "*/15 * * * *"),
);

const isCronError = (error: unknown): boolean => error instanceof CronError;
const isScheduleError = (error: unknown): boolean => isCronError(error) || error instanceof IntervalError;
const instants = fc.date({ min: new Date("2020-01-01"), max: new Date("2040-01-01"), noInvalidDate: true });
const zones = fc.constantFrom(
  "UTC",
  "Europe/Paris",
  "America/New_York",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Pacific/Apia",
);

function ascendsWithin(numbers: readonly number[], from: number, to: number): boolean {
  return (
    numbers.length > 0 &&
    numbers.every((number, at) => number >= from && number <= to && number > (numbers[at - 1] ?? -1))
  );
}

function isWellFormed({ minutes, hours, daysOfMonth, months, daysOfWeek }: Cron): boolean {
  const clock = ascendsWithin(minutes, 0, 59) && ascendsWithin(hours, 0, 23);
  return clock && ascendsWithin(daysOfMonth, 1, 31) && ascendsWithin(months, 1, 12) && ascendsWithin(daysOfWeek, 0, 6);
}

export const cronProperties: readonly NamedProperty[] = [
  {
    name: "a cron expression is refused as one, or has fields within their bounds",
    property: fc.property(expressions, (text) => {
      const outcome = outcomeOf(() => parseCron(text), isCronError);
      return outcome === "refused" || isWellFormed(outcome.value);
    }),
  },
  {
    name: "slots of an accepted schedule come after the instant, and 15 minutes apart",
    property: fc.property(expressions, zones, instants, (text, name, after) => {
      const outcome = outcomeOf(() => parseScheduleCron(text), isScheduleError);
      const zone = timeZoneOf(name);
      if (outcome === "refused" || !zone) return true;
      const first = bounded(() => nextSlot(outcome.value, zone, after));
      const second = first && bounded(() => nextSlot(outcome.value, zone, first));
      if (!first || !second) return true;
      return first > after && second.getTime() - first.getTime() >= shortestIntervalMs;
    }),
  },
];
