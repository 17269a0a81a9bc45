import { z } from "zod";
import { Schedule } from "./schedule.ts";
import { withRules, withTransitionRule } from "./schema.ts";
import { Webhook } from "./webhook.ts";

const TriggerShape = z
  .object({
    type: z
      .enum(["Webhook", "Schedule", "Manual"])
      .describe("type is what starts Runs by itself; with Manual only people start them. It cannot change."),
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
