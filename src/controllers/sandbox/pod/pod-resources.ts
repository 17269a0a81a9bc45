import type { SandboxClassSpec } from "../../../api/v1alpha1/sandbox-class.ts";
import { present } from "../present.ts";
import { quantityValue } from "../../../lib/quantity.ts";

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

/** The runtime only relays; it must stay alive when the agent runs out of memory. Each value may be set by itself. */
const runtimeDefaults: ContainerResources = {
  requests: { cpu: "50m", memory: "96Mi" },
  limits: { cpu: "1", memory: "512Mi" },
};

/** The agent's resources as the class says. */
export function agentResources(spec: SandboxClassSpec): ContainerResources {
  return fitted(spec.resources, withStorage(spec));
}

/** The runtime's resources as the class says. */
export function runtimeResources({ runtimeResources: wanted }: SandboxClassSpec): ContainerResources {
  return fitted(wanted, runtimeDefaults);
}

/** The API server refuses a request above its limit, so a default gives way to what the class says about its counterpart. */
function fitted({ requests, limits }: SandboxClassSpec["resources"], defaults: ContainerResources): ContainerResources {
  const wanted = { requests: present(requests), limits: present(limits) };
  return {
    requests: { ...boundedBy(wanted.limits, defaults.requests, Math.min), ...wanted.requests },
    limits: { ...boundedBy(wanted.requests, defaults.limits, Math.max), ...wanted.limits },
  };
}

/**
 * The kubelet adds up what a pod has on its node's disk: volumes, logs and what containers write outside of them. The limit has
 * room for all volumes at their own limits, and for as much as the workspace beside them. The request stays small, or the API
 * server would make it the limit.
 */
function withStorage({ workspaceSizeLimit, workspaceVolume, volumes = [] }: SandboxClassSpec): ContainerResources {
  const scratch = workspaceVolume ? 1 : 3;
  const own = volumes.map(({ emptyDir }) => (emptyDir && !emptyDir.medium ? quantityValue(emptyDir.sizeLimit) : 0));
  const bytes = [...own, quantityValue("65Mi"), (scratch + 1) * quantityValue(workspaceSizeLimit)];
  const limit = Math.ceil(bytes.reduce((sum, size) => sum + size, 0));
  return {
    requests: { ...agentDefaults.requests, "ephemeral-storage": "64Mi" },
    limits: { ...agentDefaults.limits, "ephemeral-storage": String(limit) },
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
