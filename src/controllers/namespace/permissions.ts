import { group } from "../../api/v1alpha1/kind.ts";
import { sandboxAccountName } from "../../api/v1alpha1/names.ts";
import type { Permission } from "../../lib/permissions.ts";

const scope = "tenants";
const rbac = "rbac.authorization.k8s.io";
const keep = ["get", "list", "watch", "create"];
const change = ["update", "delete"];

/** What the controllers of tenant namespaces do in the cluster. */
export const permissions: readonly Permission[] = [
  // Policies are named after classes, so the rule cannot list their names.
  { scope, apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: [...keep, ...change] },
  { scope, apiGroups: [""], resources: ["serviceaccounts"], verbs: keep },
  { scope, apiGroups: [""], resources: ["serviceaccounts"], verbs: change, resourceNames: [sandboxAccountName] },
  { scope, apiGroups: [rbac], resources: ["roles", "rolebindings"], verbs: keep },
  {
    scope,
    apiGroups: [rbac],
    resources: ["roles", "rolebindings"],
    verbs: change,
    resourceNames: [sandboxAccountName],
  },
  // Their addresses, and the API server's, are none of the internet.
  { scope: "cluster", apiGroups: [""], resources: ["nodes"], verbs: ["list"] },
  {
    scope: "cluster",
    apiGroups: ["discovery.k8s.io"],
    resources: ["endpointslices"],
    verbs: ["get"],
    resourceNames: ["kubernetes"],
  },
  // A sandbox that exists keeps its policies.
  { scope, apiGroups: [""], resources: ["pods"], verbs: ["list"] },
  { scope, apiGroups: [group], resources: ["sessions"], verbs: ["get", "list", "watch"] },
  { scope: "cluster", apiGroups: [group], resources: ["sandboxclasses"], verbs: ["get", "list", "watch"] },
  // RBAC escalation check: we must hold what we grant in a Role.
  { scope: "cluster", apiGroups: [group], resources: ["sandboxclasses"], verbs: ["use"] },
  { scope, apiGroups: [group], resources: ["repositories", "environments"], verbs: ["get"] },
];
