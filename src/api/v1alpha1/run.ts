import { z } from "zod";
import { observed } from "./conditions.ts";
import { ageColumn, column, conditionColumn, defineKind, type ObjectOf } from "./kind.ts";
import { NextDeadline, Result } from "./outcome.ts";
import { celList, integer, LocalReference, mapOf, text, Time, Uid, withRules, withTransitionRule } from "./schema.ts";
import { deliveryTypes, isDeliveryType } from "./trigger.ts";

export const RunTrigger = withRules(
  z
    .object({
      type: z.enum([...deliveryTypes, "Schedule", "Manual"]).describe("type is what fired the automation."),
      time: Time.optional().describe(
        "time is when the delivery was received, the slot was due or the person started the Run; left out, the Run's creation.",
      ),
      firedTime: Time.optional().describe(
        "firedTime is when a missed slot was fired late; the start deadline counts from it.",
      ),
      deliveryID: text(64)
        .optional()
        .describe(
          "deliveryID is the delivery's id, as in the response header; for GitHub and Slack the name of the IntegrationEvent.",
        ),
      idempotencyKey: text(65_536)
        .optional()
        .describe(
          "idempotencyKey is the sender's key, as received, or the identity of an event of an error tracker, of GitHub or of Slack.",
        ),
      payload: text(65_536)
        .optional()
        .describe(
          "payload is the delivery's body as received, or what the agent sees of an event of an error tracker, of GitHub or of Slack, at most 64 KB; removed later.",
        ),
    })
    .describe("RunTrigger is what fired the automation."),
  [
    {
      message: "firedTime belongs to type Schedule only",
      cel: "self.type == 'Schedule' || !has(self.firedTime)",
      check: (trigger) => trigger.type === "Schedule" || trigger.firedTime === undefined,
    },
    {
      message: "deliveryID, idempotencyKey and payload belong to types Webhook, ErrorTracker, GitHub and Slack only",
      cel: `self.type in ${celList(deliveryTypes)} || !(has(self.deliveryID) || has(self.idempotencyKey) || has(self.payload))`,
      check: (trigger) =>
        isDeliveryType(trigger.type) ||
        (trigger.deliveryID === undefined && trigger.idempotencyKey === undefined && trigger.payload === undefined),
    },
  ],
);
export type RunTrigger = z.infer<typeof RunTrigger>;

const AutomationReference = LocalReference.extend({
  uid: Uid.optional().describe(
    "uid is the Automation's UID when the Run was created; left out, any Automation of that name.",
  ),
  generation: integer(0)
    .optional()
    .describe("generation is the Automation's generation that the delivery or slot was checked against."),
}).describe("AutomationReference names the Automation that fires.");

export const RunSpec = withTransitionRule(
  z
    .object({
      automationRef: AutomationReference.describe("automationRef names the Automation in the same namespace."),
      trigger: RunTrigger.describe("trigger is what fired the automation."),
    })
    .describe(
      "RunSpec is one firing of an Automation. It cannot change, except that trigger.payload and trigger.idempotencyKey may be removed.",
    ),
  {
    message: "spec cannot change; only trigger.payload and trigger.idempotencyKey may be removed",
    cel:
      "self.automationRef == oldSelf.automationRef && self.trigger.type == oldSelf.trigger.type && " +
      "(has(self.trigger.time) == has(oldSelf.trigger.time)) && (!has(self.trigger.time) || self.trigger.time == oldSelf.trigger.time) && " +
      "(has(self.trigger.firedTime) == has(oldSelf.trigger.firedTime)) && (!has(self.trigger.firedTime) || self.trigger.firedTime == oldSelf.trigger.firedTime) && " +
      "(has(self.trigger.deliveryID) == has(oldSelf.trigger.deliveryID)) && (!has(self.trigger.deliveryID) || self.trigger.deliveryID == oldSelf.trigger.deliveryID) && " +
      "(!has(self.trigger.idempotencyKey) || (has(oldSelf.trigger.idempotencyKey) && self.trigger.idempotencyKey == oldSelf.trigger.idempotencyKey)) && " +
      "(!has(self.trigger.payload) || (has(oldSelf.trigger.payload) && self.trigger.payload == oldSelf.trigger.payload))",
  },
);
export type RunSpec = z.infer<typeof RunSpec>;

const RunSession = z
  .object({
    name: text(63).describe("name is the Session in the Run's namespace that works on the target."),
    target: text(80).optional().describe("target is what the session works on, as kind/name."),
    reason: text(64).optional().describe("reason is the reason of the first Prompt's Succeeded condition."),
    result: Result.optional().describe("result is what its agent reported; with one session it is the Run's result."),
  })
  .describe("RunSession is one session of the Run.");

export const RunStatus = z
  .object({
    ...observed,
    startTime: Time.optional().describe(
      "startTime is when the controller started the Run; absent where it was Skipped.",
    ),
    completionTime: Time.optional().describe("completionTime is when the Run ended."),
    took: text(16)
      .optional()
      .describe(
        "took is the time from startTime to completionTime for people, in one unit, such as 95s, 14m or 3h; absent until it has ended.",
      ),
    automationGeneration: integer(0)
      .optional()
      .describe(
        "automationGeneration is the Automation's generation that the Run was started with: its instructions and targets.",
      ),
    executionBudgetMs: integer(1)
      .optional()
      .describe("executionBudgetMs is the execution budget that the Run started with, in milliseconds."),
    nextDeadline: NextDeadline.optional().describe(
      "nextDeadline is the next time limit that would end the Run, or one of its sessions.",
    ),
    sessions: mapOf(z.array(RunSession).max(10), "name")
      .optional()
      .describe("sessions are the Run's sessions, one for each target, at most 10."),
    result: Result.optional().describe("result is what the agent reported."),
    lateResult: Result.optional().describe(
      "lateResult is a result that came after the Run had ended; the Succeeded condition stays.",
    ),
  })
  .describe("RunStatus is what was observed.");
export type RunStatus = z.infer<typeof RunStatus>;

/** The first writer that settles `Succeeded` decides it. */
export const settledStays = {
  message: "a settled Succeeded condition cannot change",
  cel:
    "!has(oldSelf.conditions) || !oldSelf.conditions.exists(o, o.type == 'Succeeded' && o.status != 'Unknown') || " +
    "(has(self.conditions) && self.conditions.exists(c, c.type == 'Succeeded' && oldSelf.conditions.exists(o, " +
    "o.type == c.type && o.status == c.status && o.reason == c.reason)))",
};

const SettlingRunStatus = withTransitionRule(RunStatus, settledStays);

export const Run = defineKind({
  kind: "Run",
  plural: "runs",
  shortNames: ["rwrun"],
  namespaced: true,
  description: "Run is one firing of an Automation: one accepted delivery, one due time or one manual start.",
  spec: RunSpec,
  status: SettlingRunStatus,
  columns: [
    column("Automation", ".spec.automationRef.name", "The Automation that fired."),
    column("Trigger", ".spec.trigger.type", "What fired it."),
    conditionColumn("Succeeded", "Succeeded", "status"),
    conditionColumn("Reason", "Succeeded", "reason"),
    column("Started", ".status.startTime", "Time since the controller started it.", { type: "date" }),
    column("Duration", ".status.took", "How long it took."),
    column("Branch", ".status.result.branch", "The branch that the agent pushed."),
    column("Deadline", ".status.nextDeadline.time", "The next time limit that would end the Run.", { priority: 1 }),
    ageColumn,
    conditionColumn("Message", "Succeeded", "message"),
  ],
});
export type Run = ObjectOf<typeof RunSpec, typeof RunStatus>;
