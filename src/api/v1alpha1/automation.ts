import { z } from "zod";
import { AutomationStatus } from "./automation-status.ts";
import { ageColumn, column, conditionColumn, defineKind, type ObjectOf } from "./kind.ts";
import { atomicOf, integer, notBlank, ServiceAccountName, text, withRules } from "./schema.ts";
import { sessionTemplate } from "./session.ts";
import { Target } from "./targets.ts";
import { Trigger } from "./trigger.ts";

export const History = z
  .object({
    successfulLimit: integer(0, 1000)
      .default(50)
      .describe("successfulLimit is how many completed Runs are kept, 0 to 1,000. Defaults to 50."),
    failedLimit: integer(0, 1000)
      .default(50)
      .describe("failedLimit is how many failed Runs are kept, 0 to 1,000. Defaults to 50."),
    skippedLimit: integer(0, 1000)
      .default(20)
      .describe("skippedLimit is how many Runs that never started are kept, 0 to 1,000. Defaults to 20."),
    ttlSeconds: integer(60, 31_536_000)
      .default(2_592_000)
      .describe(
        "ttlSeconds is how long an ended Run is kept, in seconds, 60 to 31,536,000. Defaults to 2,592,000 (30 days).",
      ),
    idempotencySeconds: integer(60, 31_536_000)
      .default(2_592_000)
      .describe(
        "idempotencySeconds is how long an idempotency key is remembered, in seconds, 60 to 31,536,000. Defaults to 2,592,000 (30 days).",
      ),
    idempotencyKeys: integer(1, 100_000)
      .default(10_000)
      .describe(
        "idempotencyKeys is how many idempotency keys are remembered, 1 to 100,000; the oldest are forgotten first. Defaults to 10,000.",
      ),
  })
  .describe("History says how long Runs and idempotency keys are kept.");

export const SessionTemplate = z
  .object(sessionTemplate)
  .describe("SessionTemplate configures the sessions of the automation's Runs.");

const AutomationShape = z
  .object({
    displayName: notBlank(text(200))
      .optional()
      .describe("displayName is the name that people see, 1 to 200 characters. Defaults to the object's name."),
    instructions: notBlank(z.string().min(1).max(15_000)).describe(
      "instructions are what the agent is asked to do, 1 to 15,000 characters, not blank.",
    ),
    suspend: z
      .boolean()
      .default(false)
      .describe("suspend pauses the automation: deliveries are accepted but start no Run. Defaults to false."),
    trigger: Trigger.describe("trigger is what fires the automation."),
    targets: atomicOf(z.array(Target).max(10))
      .default([])
      .describe(
        "targets are the Repositories and Environments that a Run works on, with one session for each: at most 10, and more than one only with trigger type Schedule. An empty list means one session with an empty workspace. Defaults to none.",
      ),
    session: SessionTemplate.prefault({}).describe("session configures the sessions of the automation's Runs."),
    serviceAccountName: ServiceAccountName.describe(
      "serviceAccountName is the ServiceAccount under which sandboxes run and whose rights the Runs have. It must not be default, and the author must be allowed to impersonate it. At most 253 characters.",
    ),
    history: History.prefault({}).describe("history says how long Runs and idempotency keys are kept."),
  })
  .describe("AutomationSpec is the wanted state.");

export const AutomationSpec = withRules(AutomationShape, [
  {
    message: "must have at most one entry unless the trigger type is Schedule",
    cel: "self.trigger.type == 'Schedule' || size(self.targets) <= 1",
    check: (spec) => spec.trigger.type === "Schedule" || spec.targets.length <= 1,
    fieldPath: ".targets",
  },
  {
    message: "must be one Repository where the trigger type is GitHub",
    cel: "self.trigger.type != 'GitHub' || (size(self.targets) == 1 && has(self.targets[0].repositoryRef))",
    check: ({ trigger, targets }) =>
      trigger.type !== "GitHub" || (targets.length === 1 && targets[0]?.repositoryRef !== undefined),
    fieldPath: ".targets",
  },
  {
    message: "must not name the same Repository or Environment twice",
    cel: "self.targets.all(a, self.targets.exists_one(b, a == b))",
    check: (spec) => new Set(spec.targets.map((target) => JSON.stringify(target))).size === spec.targets.length,
    fieldPath: ".targets",
  },
]);
export type AutomationSpec = z.infer<typeof AutomationSpec>;

export const Automation = defineKind({
  kind: "Automation",
  plural: "automations",
  shortNames: ["rwauto"],
  namespaced: true,
  description:
    "Automation holds instructions for a coding agent, the targets that it works on, and the trigger that starts Runs.",
  spec: AutomationSpec,
  status: AutomationStatus,
  columns: [
    column("Trigger", ".spec.trigger.type", "What fires the automation."),
    conditionColumn("Ready", "Ready", "status"),
    conditionColumn("Reason", "Ready", "reason"),
    conditionColumn("Paused", "Paused", "status"),
    column("Active", ".status.activeRuns", "Unfinished Runs, waiting ones included.", { type: "integer" }),
    column("Failures", ".status.consecutiveFailures", "Consecutive failed Runs; 3 pause the automation.", {
      type: "integer",
    }),
    column("Last run", ".status.lastRun.reason", "The reason of the newest Run's Succeeded condition."),
    column("Next", ".status.nextScheduleTime", "The next slot of a schedule.", { priority: 1 }),
    column("Webhook", ".status.webhook.url", "Where deliveries are posted.", { priority: 1 }),
    ageColumn,
    conditionColumn("Message", "Ready", "message"),
  ],
});
export type Automation = ObjectOf<typeof AutomationSpec, typeof AutomationStatus>;
