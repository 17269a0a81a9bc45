import {
  Automation,
  conditionTypes,
  Integration,
  IntegrationEvent,
  reasons,
  triggeringIntegrationName,
} from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import { allNamespacesFlag } from "../arguments/common-flags.ts";
import { namespaceOf } from "../arguments/name-argument.ts";
import { defineCommand } from "../command.ts";
import { shownAge } from "../output/age.ts";
import { listedAs } from "../output/listed.ts";
import { textTable } from "../output/table.ts";

export const integrations = defineCommand({
  name: "integrations",
  summary: "list Integrations: whether they are connected, the last event, the last failure, what to do",
  details:
    "CONNECTED is Yes, No, or Unknown before the first call of the provider. The last failure is that of the Integration, or else of an Automation whose events cannot come, or of the latest event that failed.",
  parameters: [],
  flags: allNamespacesFlag,
  formats: ["json", "yaml", "name"],
  examples: ["integrations -n demo", "integrations -A"],
  async run(invocation) {
    const { flags, cluster, clock, io } = invocation;
    const namespace = flags["all-namespaces"] ? undefined : namespaceOf(invocation);
    const { client } = cluster();
    const [{ items: found }, { items: events }, { items: automations }] = await Promise.all([
      client.list<Integration>(Integration, { namespace }),
      client.list<IntegrationEvent>(IntegrationEvent, { namespace }),
      client.list<Automation>(Automation, { namespace }),
    ]);
    if (found.length === 0)
      io.note(`No Integrations found${namespace === undefined ? "" : ` in namespace ${namespace}`}`);
    const rows = found.map((integration) => rowOf(integration, { events, automations }, clock.now()));
    const head = ["NAMESPACE", "NAME", "TYPE", "CONNECTED", "LAST EVENT", "LAST FAILURE"];
    return { text: found.length === 0 ? "" : textTable(head, rows), ...listedAs(Integration, found) };
  },
});

function rowOf(
  integration: Integration,
  all: { events: readonly IntegrationEvent[]; automations: readonly Automation[] },
  now: Date,
): string[] {
  const { metadata, spec, status } = integration;
  const events = all.events
    .filter((event) => event.spec.integrationRef.uid === metadata.uid)
    .sort((left, right) => right.spec.receivedTime.localeCompare(left.spec.receivedTime));
  const [last] = events;
  const failure = failureOf(integration, { events, automations: all.automations });
  return [
    metadata.namespace ?? "",
    metadata.name ?? "",
    spec.type,
    connectedOf(status),
    last ? `${verdictOf(last)?.reason ?? "Waiting"} ${shownAge(last.spec.receivedTime, now)} ago` : "",
    failure ? `${failure.reason}: ${failure.message}` : "",
  ];
}

function failureOf(
  integration: Integration,
  { events, automations }: { events: readonly IntegrationEvent[]; automations: readonly Automation[] },
): { reason: string; message: string } | undefined {
  const ready = findCondition(integration.status?.conditions, conditionTypes.ready);
  if (ready?.status === "False") return ready;
  return unfired(integration, automations) ?? events.map(verdictOf).find((verdict) => verdict?.status === "False");
}

/** Why no event of the Integration can fire one of its Automations. */
function unfired(
  { metadata }: Integration,
  automations: readonly Automation[],
): { reason: string; message: string } | undefined {
  for (const { metadata: own, spec, status } of automations) {
    const isOfIt = own.namespace === metadata.namespace && triggeringIntegrationName(spec.trigger) === metadata.name;
    const ready = findCondition(status?.conditions, conditionTypes.ready);
    if (!isOfIt || !ready || ready.status === "True" || !causes.includes(ready.reason)) continue;
    return { reason: ready.reason, message: `Automation ${own.name ?? ""}: ${ready.message}` };
  }
  return undefined;
}

const causes: readonly string[] = [reasons.eventsNotSubscribed, reasons.targetNotServed];

function verdictOf({ status }: IntegrationEvent) {
  return findCondition(status?.conditions, conditionTypes.succeeded);
}

function connectedOf(status: Integration["status"]): string {
  const reason = status?.connection?.reason;
  if (reason === undefined) return "Unknown";
  return reason === "Connected" ? "Yes" : "No";
}
