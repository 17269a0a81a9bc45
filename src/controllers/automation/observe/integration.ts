import { type Automation, type Integration, triggeringIntegrationName } from "../../../api/v1alpha1/index.ts";
import type { IntegrationInformers } from "../../kind-informers.ts";

/** The Integration whose events fire an automation; `found` is undefined where there is none of the name. */
export interface TriggeringIntegration {
  name: string;
  type: Integration["spec"]["type"];
  found: Integration | undefined;
}

/** The Integration that an automation's trigger names; undefined for triggers that name none. */
export function triggeringIntegration(
  { integrations }: Pick<IntegrationInformers, "integrations">,
  { metadata: { namespace }, spec: { trigger } }: Automation,
): TriggeringIntegration | undefined {
  const name = triggeringIntegrationName(trigger);
  if (name === undefined) return undefined;
  return { name, type: trigger.github ? "GitHub" : "Slack", found: integrations.get({ namespace, name }) };
}
