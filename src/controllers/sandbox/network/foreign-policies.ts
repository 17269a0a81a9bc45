import { labels } from "../../../api/v1alpha1/names.ts";
import type { NetworkPolicy, Pod } from "../../../kube/core-resources.ts";
import { basePolicyName, classPolicyName } from "./network-policy.ts";
import { tunnelObjectsName } from "./tunnel-objects.ts";

type Selector = NonNullable<NonNullable<NetworkPolicy["spec"]>["podSelector"]>;
type Requirement = NonNullable<Selector["matchExpressions"]>[number];

/** Names of the policies that select the pod and are not ours; what they allow adds to what ours allow. */
export function foreignPolicies(policies: readonly NetworkPolicy[], { metadata }: Pod): string[] {
  const podLabels = metadata.labels ?? {};
  const className = podLabels[labels.sandboxClass] ?? "";
  const ours = new Set([basePolicyName, classPolicyName(className), tunnelObjectsName(metadata.name ?? "")]);
  return policies
    .filter(({ metadata: { name = "" }, spec }) => !ours.has(name) && selects(spec?.podSelector ?? {}, podLabels))
    .map(({ metadata: { name = "" } }) => name)
    .sort();
}

/** An empty selector selects every pod. */
function selects({ matchLabels = {}, matchExpressions = [] }: Selector, podLabels: Record<string, string>): boolean {
  const hasLabels = Object.entries(matchLabels).every(([key, value]) => podLabels[key] === value);
  return hasLabels && matchExpressions.every((requirement) => meets(requirement, podLabels[requirement.key]));
}

function meets({ operator, values = [] }: Requirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      // An operator of a later Kubernetes: better one warning too many.
      return true;
  }
}
