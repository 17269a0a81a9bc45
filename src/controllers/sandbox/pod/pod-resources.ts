import type { SandboxClassSpec } from "../../../api/v1alpha1/sandbox-class.ts";
import { present } from "../present.ts";
import { quantityValue } from "./quantity.ts";

/** As a container's `resources` want them. */
export interface ContainerResources {
  requests: Record<string, string>;
  limits: Record<string, string>;
}

/** What a class without resources gives the agent; each value may be set by itself. */
const agentDefaults: ContainerResources = {
  requests: { cpu: "250m", memory: "512Mi" },
  limits: { cpu: "2", memory: "2Gi" },
};

/** The runtime only relays; it must stay alive when the agent runs out of memory. */
export const runtimeResources: ContainerResources = {
  requests: { cpu: "50m", memory: "96Mi" },
  limits: { cpu: "1", memory: "512Mi" },
};

/**
 * The agent's resources as the class says. The API server refuses a request above its limit, so a default gives way to
 * what the class says about its counterpart.
 */
export function agentResources({ requests, limits }: SandboxClassSpec["resources"]): ContainerResources {
  const wanted = { requests: present(requests), limits: present(limits) };
  return {
    requests: { ...boundedBy(wanted.limits, agentDefaults.requests, Math.min), ...wanted.requests },
    limits: { ...boundedBy(wanted.requests, agentDefaults.limits, Math.max), ...wanted.limits },
  };
}

/** Each default, or the bound where that is the smaller (`Math.min`) or the greater (`Math.max`) one. */
function boundedBy(
  bounds: Record<string, string>,
  defaults: Record<string, string>,
  choose: (left: number, right: number) => number,
): Record<string, string> {
  const entries = Object.entries(defaults).map(([name, value]) => {
    const bound = bounds[name] ?? value;
    const chosen = choose(quantityValue(value), quantityValue(bound));
    return [name, chosen === quantityValue(value) ? value : bound] as const;
  });
  return Object.fromEntries(entries);
}
