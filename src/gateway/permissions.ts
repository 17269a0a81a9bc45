import { group } from "../api/v1alpha1/kind.ts";
import type { Permission } from "../lib/permissions.ts";

/** RBAC permissions of the gateway. It reads no Secrets of tenants, has no access to Pods, and deletes nothing. */
export const permissions: readonly Permission[] = [
  { scope: "tenants", apiGroups: [group], resources: ["sessions"], verbs: ["get", "list", "watch", "create"] },
  // They are built in sandboxes, too.
  { scope: "tenants", apiGroups: [group], resources: ["prebuiltimages"], verbs: ["get", "list", "watch"] },
  // Whose pods may wait for a session.
  { scope: "tenants", apiGroups: [group], resources: ["sandboxpools"], verbs: ["get", "list", "watch"] },
  { scope: "tenants", apiGroups: [group], resources: ["automations"], verbs: ["get", "list", "watch", "patch"] },
  { scope: "tenants", apiGroups: [group], resources: ["runs"], verbs: ["get", "list", "watch", "create"] },
  { scope: "tenants", apiGroups: [group], resources: ["deliverylogs"], verbs: ["get"] },
  { scope: "tenants", apiGroups: [group], resources: ["prompts"], verbs: ["get", "list", "watch", "create", "patch"] },
  { scope: "tenants", apiGroups: [group], resources: ["prompts/status"], verbs: ["patch"] },
  // The archive keeps them, and the page shows those of a prompt.
  { scope: "tenants", apiGroups: [group], resources: ["pullrequests"], verbs: ["list", "watch"] },
  // Whether one opens a pull request that the page would ask for.
  { scope: "tenants", apiGroups: [group], resources: ["integrations"], verbs: ["list"] },
  // Which branch its pull requests go into.
  { scope: "tenants", apiGroups: [group], resources: ["repositories", "environments"], verbs: ["get"] },
  // Since when a namespace is there: history of an earlier one of its name is not shown.
  { scope: "tenants", apiGroups: [""], resources: ["namespaces"], verbs: ["get"] },
  { scope: "tenants", apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
  { scope: "cluster", apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
  { scope: "cluster", apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
  {
    scope: "release",
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    // Its own, and by update that of the archive's writer.
    verbs: ["get", "create", "patch", "update"],
  },
  { scope: "sessions", apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "patch"] },
  { scope: "sessions", apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
  { scope: "keys", apiGroups: [""], resources: ["secrets"], verbs: ["get", "create", "patch"] },
];
