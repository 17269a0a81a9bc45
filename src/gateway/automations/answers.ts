import { credentialVariables } from "../../domain/deliveries/webhook-command.ts";
import { z } from "zod";

import { deliveryDecisions, Filter, refusalReasons } from "../../api/v1alpha1/index.ts";
import { invocationSources, invocationStates } from "../http/product-words.ts";
import { Count, Instant, MaybeInstant, paging, Result, trimming } from "../http/answers.ts";

const InvocationRun = z.object({
  id: z.string().describe("The session's name."),
  target: z
    .string()
    .nullable()
    .describe(
      "What the session works on, as kind/name; null for an empty workspace. In the archive it is the primary Repository.",
    ),
  state: z.enum(["running", "completed", "failed"]),
  failureReason: z.string().nullable().describe("Null unless failed; the archive does not keep it."),
});

export const Invocation = z
  .object({
    id: z.string().describe("The Run's name."),
    automationId: z.string(),
    source: z.enum(Object.values(invocationSources) as [string, ...string[]]).describe("What fired the automation."),
    status: z.enum(invocationStates),
    skipReason: z.string().nullable().describe("Such as concurrent_run_active; null unless skipped."),
    failureReason: z.string().nullable().describe("Such as execution_timeout; null unless failed."),
    message: z.string().nullable().describe("The status in words, for people."),
    createdAt: Instant,
    scheduledAt: MaybeInstant.describe("The due time that fired it; null for other sources."),
    startedAt: MaybeInstant,
    completedAt: MaybeInstant,
    executionDeadlineAt: MaybeInstant.describe("When a time limit will end it; null while none applies."),
    deliveryId: z.string().nullable().describe("As in the response header of the delivery; null for other sources."),
    result: Result,
    runs: z.array(InvocationRun).describe("One session for each target; none before the start."),
    goneAt: MaybeInstant.describe("When the archive saw that the Run had been deleted; null while the cluster has it."),
  })
  .meta({ id: "Invocation" });
export type Invocation = z.output<typeof Invocation>;

const AutomationShape = {
  id: z.string().describe("<namespace>.<name>"),
  namespace: z.string(),
  name: z.string().describe("The display name, else the object's name."),
  triggerType: z.enum(["webhook", "error_tracker", "github_event", "slack_event", "schedule", "manual"]),
  scheduleCron: z.string().nullable(),
  scheduleTz: z.string().nullable(),
  nextRunAt: MaybeInstant.describe("The next due time; null when paused or without a schedule."),
  webhookUrl: z.string().nullable().describe("Where deliveries are posted; null for other triggers."),
  repositories: z.array(z.string()).describe("Names of Repositories."),
  environments: z.array(z.string()).describe("Names of Environments."),
  serviceAccountName: z.string().describe("ServiceAccount that its runs act as."),
  enabled: z.boolean().describe("False while paused."),
  status: z.enum(["enabled", "degraded", "paused"]).describe("Degraded: enabled, and the last run failed."),
  pauseReason: z.string().nullable().describe("suspended (by a person) or too_many_failures; null while enabled."),
  consecutiveFailures: Count.describe("Failed runs in a row; 3 pause it."),
  activeRuns: Count.describe("Invocations that have not ended."),
  lastInvocation: z
    .object({ id: z.string(), reason: z.string(), createdAt: Instant })
    .nullable()
    .describe("The newest invocation and its result."),
  problem: z.string().nullable().describe("Why it does not work, for people; null when it does."),
  createdAt: Instant,
};

export const AutomationSummary = z.object(AutomationShape).meta({ id: "AutomationSummary" });
export type AutomationSummary = z.output<typeof AutomationSummary>;

const ShownFilter = z
  .object({
    path: z.string(),
    operator: Filter.shape.operator,
    value: z.union([z.string(), z.number(), z.boolean()]).optional(),
  })
  .meta({ id: "Filter" });

export const AutomationDetail = z
  .object({
    ...AutomationShape,
    instructions: z.string(),
    filters: z.array(ShownFilter).nullable().describe("Filters of a webhook's payloads; null for other triggers."),
  })
  .meta({ id: "Automation" });

const Delivery = z
  .object({
    id: z.string().describe("As in the response header of the delivery."),
    receivedAt: Instant,
    decision: z.enum(deliveryDecisions),
    message: z.string().describe("The decision in words, such as the filter that did not match."),
    httpStatus: z.int().describe("The HTTP status that the sender got."),
    invocationId: z.string().nullable().describe("The Run that it started, or that it is a duplicate of."),
    bodyBytes: Count,
    body: z.string().nullable().describe("The body of a delivery that started nothing, where it is kept."),
  })
  .meta({ id: "Delivery" });

const RefusedRequests = z
  .object({ reason: z.enum(refusalReasons), count: Count, lastAt: Instant })
  .meta({ id: "RefusedRequests" });

export const Deliveries = z.object({
  deliveries: z.array(Delivery).describe("The last deliveries with the right key, newest first, at most 100."),
  refusals: z.array(RefusedRequests).describe("Requests that were refused before a key had matched."),
});

export const Example = z.object({
  curl: z.string().describe("For a shell; it takes the key or the signing secret from a variable."),
  variable: z.enum(Object.values(credentialVariables)).describe("The name of that variable."),
  problem: z.string().nullable().describe("Why the delivery would start no run; null where it would."),
});

export const AutomationRights = z.object({
  listInvocations: z.boolean(),
  listDeliveries: z.boolean(),
  trigger: z.boolean(),
  pause: z.boolean(),
  resume: z.boolean(),
  regenerateKey: z.boolean(),
});

export const AutomationPage = z.object({ automations: z.array(AutomationSummary), ...paging });
export const InvocationPage = z.object({
  invocations: z.array(Invocation),
  ...paging,
  isComplete: z.boolean().describe("False while the archive cannot be read: what it alone has is missing then."),
  ...trimming,
});
export const OneAutomation = z.object({ automation: AutomationDetail });
export const Triggered = z.object({
  invocationId: z.string().describe("The Run's name."),
  runs: z.array(InvocationRun),
});
export const DeliveryAddress = z.object({ webhookUrl: z.string().describe("Where the sender posts its deliveries.") });

export const IssuedKey = z.object({
  webhookApiKey: z
    .string()
    .describe("The key, the token or the signing secret, as authenticationType says. Shown only in this response."),
  webhookUrl: z.string(),
  authenticationType: z
    .enum(["Bearer", "HMAC", "Header"])
    .describe("How the sender uses the key: in Authorization, to sign with, or in a header of its own."),
});
