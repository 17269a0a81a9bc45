import { DeliveryLogSpec } from "../delivery-log.ts";
import { IntegrationEventSpec } from "../integration-event.ts";
import { postedTypes } from "../trigger.ts";
import { itsIntegration, runsOf } from "./records.ts";
import { allOf, oneOwner } from "./rules.ts";
import type { Write } from "./write.ts";

const owner = oneOwner(
  "Automation",
  "the Automation of the same name must be the only owner",
  (reference) => `${reference}.name == object.metadata.name`,
);
const log = { name: "ingress-delivery-logs", resource: "deliverylogs" } as const;
const records = { spec: allOf(DeliveryLogSpec) };

/** Limits a compromised pod of the ingress to what a sender could have caused. */
export const ingressWrites: readonly Write[] = [
  runsOf("ingress", postedTypes),
  // A compromised pod can forge events of Integrations, which the connector judges as it judges all.
  {
    name: "ingress-integration-events",
    operation: "CREATE",
    resource: "integrationevents",
    metadata: { ownerReferences: itsIntegration("ingress") },
    fields: { spec: allOf(IntegrationEventSpec) },
  },
  // A compromised pod can falsify records, but can neither block a namespace's deletion nor hide a record.
  { ...log, operation: "CREATE", metadata: { ownerReferences: owner }, fields: records },
  { ...log, name: "ingress-delivery-log-changes", operation: "UPDATE", fields: records },
];
