import { z } from "zod";
import { ErrorTracker } from "./error-tracker.ts";
import { GitHubTrigger } from "./github-trigger.ts";
import { Schedule } from "./schedule.ts";
import { withRules, withTransitionRule } from "./schema.ts";
import { SlackTrigger } from "./slack-trigger.ts";
import { Webhook } from "./webhook.ts";

/** Trigger types whose deliveries senders post to a URL of the Automation's own. */
export const postedTypes = ["Webhook", "ErrorTracker"] as const;
export type PostedType = (typeof postedTypes)[number];

/** Trigger types whose events come to an Integration, which has the same type. */
export const integrationTriggerTypes = ["GitHub", "Slack"] as const;
export type IntegrationTriggerType = (typeof integrationTriggerTypes)[number];

/** Trigger types whose Runs begin with a delivery from outside. */
export const deliveryTypes = [...postedTypes, ...integrationTriggerTypes] as const;
export type DeliveryType = (typeof deliveryTypes)[number];

/** Whether an Automation of this trigger type has a URL of its own. */
export function isPostedType(type: string): type is PostedType {
  return type === "Webhook" || type === "ErrorTracker";
}

/** Whether Runs of this trigger type begin with a delivery; such Runs may overlap. */
export function isDeliveryType(type: string): type is DeliveryType {
  return isPostedType(type) || type === "GitHub" || type === "Slack";
}

const TriggerShape = z
  .object({
    type: z
      .enum([...deliveryTypes, "Schedule", "Manual"])
      .describe("type is what starts Runs by itself; with Manual only people start them. It cannot change."),
    webhook: Webhook.optional().describe("webhook configures type Webhook."),
    errorTracker: ErrorTracker.optional().describe("errorTracker configures type ErrorTracker."),
    github: GitHubTrigger.optional().describe("github configures type GitHub."),
    slack: SlackTrigger.optional().describe("slack configures type Slack."),
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
    message: "github belongs to trigger type GitHub, which needs it",
    cel: "(self.type == 'GitHub') == has(self.github)",
    check: (trigger) => (trigger.type === "GitHub") === (trigger.github !== undefined),
    fieldPath: ".github",
  },
  {
    message: "slack belongs to trigger type Slack, which needs it",
    cel: "(self.type == 'Slack') == has(self.slack)",
    check: (trigger) => (trigger.type === "Slack") === (trigger.slack !== undefined),
    fieldPath: ".slack",
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

/** Name of the Integration whose events fire an automation; undefined for triggers without one. */
export function triggeringIntegrationName({ github, slack }: Pick<Trigger, "github" | "slack">): string | undefined {
  return (github ?? slack)?.integrationRef.name;
}
