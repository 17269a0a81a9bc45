import { labels } from "../../../api/v1alpha1/names.ts";
import type { SandboxClass } from "../../../api/v1alpha1/sandbox-class.ts";
import type { Pod } from "../../../kube/core-resources.ts";
import { sandboxComponent } from "../labels.ts";

/** How a class's pods are placed; spreading counts the sandboxes of the class alone. */
export function placement({ metadata, spec }: SandboxClass): Partial<NonNullable<Pod["spec"]>> {
  const { priorityClassName, tolerations, affinity, topologySpreadConstraints } = spec;
  const matchLabels = { [labels.component]: sandboxComponent, [labels.sandboxClass]: metadata.name ?? "" };
  return present({
    priorityClassName,
    tolerations,
    affinity,
    topologySpreadConstraints: topologySpreadConstraints?.map((one) => ({ ...one, labelSelector: { matchLabels } })),
  });
}

function present(placed: object): Partial<NonNullable<Pod["spec"]>> {
  return Object.fromEntries(Object.entries(placed).filter(([, value]) => value !== undefined));
}
