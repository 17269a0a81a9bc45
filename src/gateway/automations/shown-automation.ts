import { type Automation, conditionTypes, isPostedType } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import { webhookPath } from "../../domain/deliveries/webhook-path.ts";
import { pauseReason } from "../../domain/pauses/pause-status.ts";
import { tallyOf } from "../../domain/pauses/tally.ts";
import { namespacedNameText } from "../../lib/namespaced-name.ts";
import { instantOf, knownInstant, nameOf, reasonWord } from "../http/product-words.ts";
import type { AutomationSummary } from "./answers.ts";
import type { Position } from "../http/page.ts";

const triggerTypes = {
  Webhook: "webhook",
  ErrorTracker: "error_tracker",
  GitHub: "github_event",
  Slack: "slack_event",
  Schedule: "schedule",
  Manual: "manual",
} as const;

/** An Automation in the REST API, without its instructions; never its key or a part of the key's hash. */
export function shownAutomation(automation: Automation, deliveryBaseUrl: string): AutomationSummary {
  const { metadata, spec } = automation;
  const id = nameOf(automation);
  const { type } = spec.trigger;
  return {
    id: namespacedNameText(id),
    namespace: id.namespace,
    name: shownName(automation),
    triggerType: triggerTypes[type],
    scheduleCron: spec.trigger.schedule?.cron ?? null,
    scheduleTz: spec.trigger.schedule?.timeZone ?? null,
    webhookUrl: isPostedType(type) ? `${deliveryBaseUrl}${webhookPath(id, type)}` : null,
    repositories: spec.targets.flatMap(({ repositoryRef }) => repositoryRef?.name ?? []),
    environments: spec.targets.flatMap(({ environmentRef }) => environmentRef?.name ?? []),
    serviceAccountName: spec.serviceAccountName,
    ...shownState(automation),
    createdAt: knownInstant(metadata.creationTimestamp),
  };
}

type State = "nextRunAt" | "enabled" | "status" | "pauseReason" | "consecutiveFailures" | "activeRuns";

function shownState(automation: Automation): Pick<AutomationSummary, State | "lastInvocation" | "problem"> {
  const { status = {} } = automation;
  const paused = pauseReason(automation);
  const { consecutiveFailures } = tallyOf(automation);
  const enabled = consecutiveFailures > 0 ? "degraded" : "enabled";
  return {
    nextRunAt: paused === undefined ? instantOf(status.nextScheduleTime) : null,
    enabled: paused === undefined,
    status: paused === undefined ? enabled : "paused",
    pauseReason: paused === undefined ? null : reasonWord(paused),
    consecutiveFailures,
    activeRuns: status.activeRuns ?? 0,
    lastInvocation: shownLast(status.lastRun),
    problem: problemOf(automation),
  };
}

function shownLast(last: NonNullable<Automation["status"]>["lastRun"]): AutomationSummary["lastInvocation"] {
  return last ? { id: last.name, reason: reasonWord(last.reason), createdAt: knownInstant(last.time) } : null;
}

/** The display name, or else the object's name. */
export function shownName({ metadata, spec }: Automation): string {
  return spec.displayName ?? metadata.name ?? "";
}

/** Sort key: newest first. */
export function positionOfAutomation(automation: Automation): Position {
  return [knownInstant(automation.metadata.creationTimestamp), namespacedNameText(nameOf(automation))];
}

function problemOf({ status }: Automation): string | null {
  const ready = findCondition(status?.conditions, conditionTypes.ready);
  return ready?.status === "False" ? ready.message : null;
}
