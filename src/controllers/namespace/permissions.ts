import { group } from "../../api/v1alpha1/kind.ts";
import type { Permission } from "../../lib/permissions.ts";

const keep = ["get", "list", "watch", "create", "update"];

/** What keeping tenant namespaces in order takes. */
export const permissions: readonly Permission[] = [
  { scope: "cluster", apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: keep },
  { scope: "cluster", apiGroups: [""], resources: ["serviceaccounts"], verbs: keep },
  { scope: "cluster", apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"], verbs: keep },
  // Nobody may give away in a Role what is not his own.
  { scope: "cluster", apiGroups: [group], resources: ["sandboxclasses"], verbs: ["use"] },
  { scope: "cluster", apiGroups: [group], resources: ["repositories", "environments"], verbs: ["get"] },
];
