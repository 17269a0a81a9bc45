import { z } from "zod";
import { cronFields } from "../../lib/cron/field.ts";
import { timeZoneOf } from "../../lib/time-zone.ts";
import { cronProblem } from "./schedule-cron.ts";
import { matching, withRule, withTransitionRule } from "./schema.ts";

/** Patterns of the fields for RE2. The admission policy judges ranges, days and distances. */
const step = "(/(0?[1-9]|[1-9][0-9]))?";
const fieldRules = [
  { field: cronFields.minute, value: "[0-5]?[0-9]" },
  { field: cronFields.hour, value: "[01]?[0-9]|2[0-3]" },
  { field: cronFields.dayOfMonth, value: "0?[1-9]|[12][0-9]|3[01]" },
  { field: cronFields.month, value: `0?[1-9]|1[0-2]|${anyCase(cronFields.month.names)}` },
  { field: cronFields.dayOfWeek, value: `0?[0-7]|${anyCase(cronFields.dayOfWeek.names)}` },
];

function anyCase(names: readonly string[]): string {
  return `(?i:${names.join("|")})`;
}

const CronText = matching(
  z.string().min(9).max(256),
  /^[^ \t\n\v\f\r]+( +[^ \t\n\v\f\r]+){4}$/,
  "must have the five fields minute, hour, day of month, month and day of week, separated by spaces; neither seconds nor macros such as @daily",
).refine((text) => cronProblem(text) === undefined, {
  error: ({ input }) => cronProblem(String(input)),
});

/** Our parser judges a cron expression as a whole, the CRD field by field. */
const CronExpression = fieldRules.reduce((schema, { field, value }, index) => {
  const item = `(\\*|(${value})(-(${value}))?)${step}`;
  const names = "names" in field ? ` or ${field.names[0]} to ${field.names.at(-1) ?? ""}` : "";
  return withTransitionRule(schema, {
    message: `${field.name} must be *, values of ${field.min} to ${field.max}${names}, ranges such as 1-5 or steps such as */15, separated by commas`,
    cel: `self.matches(r'^([^ ]+ +){${index}}${item}(,${item})*( |$)')`,
  });
}, CronText);

export const Schedule = z
  .object({
    // Optional, so that a timeZone alone on a webhook gets the error that a schedule does not belong there.
    cron: CronExpression.optional().describe(
      "cron is a 5-field cron expression of at most 256 characters whose slots are at least 15 minutes apart; required.",
    ),
    timeZone: withRule(
      matching(
        z.string().min(1).max(64),
        /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/,
        "must be the name of an IANA time zone such as Europe/Paris, not an offset",
      ),
      {
        message: "must be a time zone that the tz database knows, such as Europe/Paris",
        // For an unknown name the evaluation fails, and the API server refuses the object.
        cel: "self != 'Local' && timestamp('2026-01-01T00:00:00Z').getFullYear(self) > 0",
        check: (name) => timeZoneOf(name) !== undefined,
      },
    )
      .default("UTC")
      .describe("timeZone is the name of an IANA time zone, at most 64 characters. Defaults to UTC."),
  })
  .describe("Schedule is the cron trigger.");
export type Schedule = z.infer<typeof Schedule>;
