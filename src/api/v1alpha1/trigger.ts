import { z } from "zod";
import { ErrorTracker } from "./error-tracker.ts";
import { Schedule } from "./schedule.ts";
import { withRules, withTransitionRule } from "./schema.ts";
import { Webhook } from "./webhook.ts";

/** Trigger types whose Runs begin with a delivery from outside. */
export const deliveryTypes = ["Webhook", "ErrorTracker"] as const;
export type DeliveryType = (typeof deliveryTypes)[number];

/** Whether Runs of this trigger type begin with a delivery; such Runs may overlap. */
export function isDeliveryType(type: string): type is DeliveryType {
  return type === "Webhook" || type === "ErrorTracker";
}

const TriggerShape = z
  .object({
    type: z
      .enum([...deliveryTypes, "Schedule", "Manual"])
      .describe("type is what starts Runs by itself; with Manual only people start them. It cannot change."),
    webhook: Webhook.optional().describe("webhook configures type Webhook."),
    errorTracker: ErrorTracker.optional().describe("errorTracker configures type ErrorTracker."),
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
    message: "errorTracker belongs to trigger type ErrorTracker, which needs it",
    cel: "(self.type == 'ErrorTracker') == has(self.errorTracker)",
    check: (trigger) => (trigger.type === "ErrorTracker") === (trigger.errorTracker !== undefined),
    fieldPath: ".errorTracker",
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
