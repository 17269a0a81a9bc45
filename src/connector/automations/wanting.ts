import type { Automation, IntegrationEvent } from "../../api/v1alpha1/index.ts";
import { keyText } from "../../lib/resource.ts";
import { type ConnectorInformers, indexNames } from "../informers.ts";

/** Automations that name an event's Integration and want the event, by name. */
export function wantingAutomations(
  { automations }: Pick<ConnectorInformers, "automations">,
  { metadata: { namespace }, spec: { integrationRef } }: IntegrationEvent,
  wants: (trigger: Automation["spec"]["trigger"]) => boolean,
): Automation[] {
  return automations
    .byIndex(indexNames.integration, keyText({ namespace, name: integrationRef.name }))
    .filter(({ metadata, spec }) => metadata.deletionTimestamp === undefined && wants(spec.trigger))
    .sort((left, right) => ((left.metadata.name ?? "") < (right.metadata.name ?? "") ? -1 : 1));
}
