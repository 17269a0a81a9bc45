import { z } from "zod";
import { matching, withRules, withTransitionRule } from "./schema.ts";
import { Webhook } from "./webhook.ts";

export const Schedule = z
  .object({
    cron: matching(
      z.string().min(9).max(256),
      /^[^ \t\n\v\f\r]+( +[^ \t\n\v\f\r]+){4}$/,
      "must have the five fields minute, hour, day of month, month and day of week, separated by spaces; neither seconds nor macros such as @daily",
    )
      // Optional to the parser only, so that a zone alone on a webhook is told that the schedule does not belong there.
      .optional()
      .describe(
        "cron is a 5-field cron expression of at most 256 characters whose slots are at least 15 minutes apart; required.",
      ),
    timeZone: matching(
      z.string().min(1).max(64),
      /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/,
      "must be the name of an IANA time zone such as Europe/Paris, not an offset",
    )
      .default("UTC")
      .describe("timeZone is the name of an IANA time zone, at most 64 characters. Defaults to UTC."),
  })
  .describe("Schedule is the cron trigger.");
export type Schedule = z.infer<typeof Schedule>;

const TriggerShape = z
  .object({
    type: z
      .enum(["Webhook", "Schedule", "Manual"])
      .describe("type is what fires the automation by itself; Manual means nothing does. It cannot change."),
    webhook: Webhook.optional().describe("webhook configures type Webhook."),
    schedule: Schedule.optional().describe("schedule configures type Schedule."),
  })
  .describe("Trigger is what fires the automation.");

const UnionTrigger = withRules(TriggerShape, [
  {
    message: "webhook belongs to trigger type Webhook only",
    cel: "self.type == 'Webhook' || !has(self.webhook)",
    check: (trigger) => trigger.type === "Webhook" || trigger.webhook === undefined,
    fieldPath: ".webhook",
    reason: "FieldValueForbidden",
  },
  {
    message:
      "cron and timeZone belong to trigger type Schedule only; no other automation has a schedule or a time zone",
    cel: "self.type == 'Schedule' || !has(self.schedule)",
    check: (trigger) => trigger.type === "Schedule" || trigger.schedule === undefined,
    fieldPath: ".schedule",
    reason: "FieldValueForbidden",
  },
  {
    message: "trigger type Schedule needs a cron expression",
    cel: "self.type != 'Schedule' || (has(self.schedule) && has(self.schedule.cron))",
    check: (trigger) => trigger.type !== "Schedule" || trigger.schedule?.cron !== undefined,
    fieldPath: ".schedule.cron",
    reason: "FieldValueRequired",
  },
]);

export const Trigger = withTransitionRule(UnionTrigger, {
  message: "type cannot change; create another Automation",
  cel: "self.type == oldSelf.type",
  fieldPath: ".type",
});
export type Trigger = z.infer<typeof Trigger>;
