import type { Pod } from "../../../kube/core-resources.ts";

/** What the API server says of a LimitRange, without the name of the container that it means. */
const ofLimitRange = /\bper (?:Container|Pod) is\b/;

/** The API server's words for a pod that it refused, with what people need to know of its containers. */
export function refusedPod(message: string, { spec }: Pod): string {
  if (!ofLimitRange.test(message)) return message;
  const containers = (spec?.containers ?? []).map(({ name, resources }) => {
    return `${name} (requests ${listed(resources?.requests)}; limits ${listed(resources?.limits)})`;
  });
  return `${message}; the containers are ${containers.join(" and ")}: set runtimeResources or resources of the SandboxClass`;
}

function listed(quantities: Readonly<Record<string, string>> = {}): string {
  return Object.entries(quantities)
    .map(([name, quantity]) => `${name} ${quantity}`)
    .join(", ");
}
