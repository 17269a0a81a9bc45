import { group } from "../../api/v1alpha1/kind.ts";
import type { Permission } from "../../lib/permissions.ts";

/** What the session controller may do. */
export const permissions: readonly Permission[] = [
  {
    scope: "cluster",
    apiGroups: [group],
    resources: ["sessions", "prompts", "sandboxclasses"],
    verbs: ["get", "list", "watch"],
  },
  { scope: "cluster", apiGroups: [group], resources: ["runs", "repositories", "environments"], verbs: ["get"] },
  // What its owner's deletion has left behind.
  { scope: "cluster", apiGroups: [group], resources: ["sessions", "prompts"], verbs: ["delete"] },
  { scope: "cluster", apiGroups: [group], resources: ["sessions/status", "prompts/status"], verbs: ["patch"] },
  { scope: "cluster", apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch", "create", "delete"] },
  // Secrets of tenants are named by what uses them, so they are never listed.
  { scope: "cluster", apiGroups: [""], resources: ["secrets", "serviceaccounts"], verbs: ["get"] },
  // Policies of others that select a sandbox are warned of.
  { scope: "cluster", apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: ["list"] },
  { scope: "cluster", apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
  { scope: "sessions", apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "watch", "create", "delete"] },
  { scope: "sessions", apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "list", "watch"] },
  { scope: "release", apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "list", "watch"] },
];
