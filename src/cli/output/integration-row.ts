import {
  type Automation,
  conditionTypes,
  type Integration,
  type IntegrationEvent,
  reasonMeanings,
  reasons,
  triggeringIntegrationName,
} from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import { shownAge } from "./age.ts";
import { isSkip, shownSkips, skippedFeedback, verdictOf } from "./skipped-feedback.ts";

export const integrationHead = [
  "NAMESPACE",
  "NAME",
  "TYPE",
  "CONNECTED",
  "LAST EVENT",
  "LAST ACTION",
  "LAST SKIP",
  "LAST FAILURE",
  "WHAT TO DO",
] as const;

interface Failure {
  reason: string;
  message: string;
}

/** One row of the list; the skip is of feedback on pull requests, and the failure is the Integration's, or else that of an Automation whose events cannot come, or the latest event's that failed. */
export function integrationRow(
  integration: Integration,
  all: { events: readonly IntegrationEvent[]; automations: readonly Automation[] },
  now: Date,
): string[] {
  const { metadata, spec } = integration;
  const events = all.events
    .filter((event) => event.spec.integrationRef.uid === metadata.uid)
    .sort((left, right) => right.spec.receivedTime.localeCompare(left.spec.receivedTime));
  const failure = failureOf(integration, { events, automations: all.automations });
  const skips = skippedFeedback(events);
  return [
    metadata.namespace ?? "",
    metadata.name ?? "",
    spec.type,
    connectedOf(integration),
    shownEvent(events[0], now),
    shownEvent(events.find(hasActed), now),
    shownSkips(skips, now),
    failure ? `${failure.reason}: ${failure.message}` : "",
    whatToDo(integration, failure ?? verdictOf(skips.tracked)),
  ];
}

function connectedOf({ spec, status }: Integration): string {
  if (spec.suspend) return "Suspended";
  const reason = status?.connection?.reason;
  if (reason === undefined) return "Unknown";
  return reason === "Connected" ? "Yes" : "No";
}

function shownEvent(event: IntegrationEvent | undefined, now: Date): string {
  return event ? `${verdictOf(event)?.reason ?? "Waiting"} ${shownAge(event.spec.receivedTime, now)} ago` : "";
}

/** Whether a session was started, prompted or stopped for it. */
function hasActed({ status }: IntegrationEvent): boolean {
  return (status?.triggered ?? 0) + (status?.steered ?? 0) > 0;
}

function failureOf(
  integration: Integration,
  { events, automations }: { events: readonly IntegrationEvent[]; automations: readonly Automation[] },
): Failure | undefined {
  const ready = findCondition(integration.status?.conditions, conditionTypes.ready);
  if (ready?.status === "False") return { reason: ready.reason, message: ownMessage(integration, ready) };
  const { autofixSilent, scopesMissing } = conditionTypes;
  for (const type of [scopesMissing, autofixSilent]) {
    const warning = findCondition(integration.status?.conditions, type);
    if (warning) return warning;
  }
  return unfired(integration, automations) ?? verdictOf(events.find((event) => hasFailed(event) && !isSkip(event)));
}

/** What happened, without what to do about it, which a column of its own says. */
function ownMessage({ status }: Integration, { reason, message }: Failure): string {
  const { connection } = status ?? {};
  return connection?.reason === reason ? connection.message : message;
}

/** Why no event of the Integration can fire one of its Automations. */
function unfired({ metadata }: Integration, automations: readonly Automation[]): Failure | undefined {
  for (const { metadata: own, spec, status } of automations) {
    const isOfIt = own.namespace === metadata.namespace && triggeringIntegrationName(spec.trigger) === metadata.name;
    const ready = findCondition(status?.conditions, conditionTypes.ready);
    if (!isOfIt || !ready || ready.status === "True" || !causes.includes(ready.reason)) continue;
    return { reason: ready.reason, message: `Automation ${own.name ?? ""}: ${ready.message}` };
  }
  return undefined;
}

const causes: readonly string[] = [reasons.eventsNotSubscribed, reasons.targetNotServed];

function hasFailed(event: IntegrationEvent): boolean {
  return verdictOf(event)?.status === "False";
}

function whatToDo({ spec }: Integration, failure: Failure | undefined): string {
  if (spec.suspend) return "Set spec.suspend to false: events that come meanwhile are not kept.";
  const meanings: Readonly<Record<string, { means: string; remedy?: string } | undefined>> = reasonMeanings;
  return failure ? (meanings[failure.reason]?.remedy ?? "") : "";
}
