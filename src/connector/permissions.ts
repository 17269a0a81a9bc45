import { group } from "../api/v1alpha1/kind.ts";
import type { Permission } from "../lib/permissions.ts";

const tenants = { scope: "tenants", apiGroups: [group] } as const;

/**
 * RBAC permissions of the connector, which alone calls providers. It reads no Secret of tenants, has no access to pods, and
 * changes of a Prompt only whether it is cancelled and when its pull request was asked for (by admission policy).
 */
export const permissions: readonly Permission[] = [
  {
    ...tenants,
    resources: ["integrations", "repositories", "environments", "automations"],
    verbs: ["get", "list", "watch"],
  },
  {
    ...tenants,
    resources: ["integrations/status", "integrationevents/status", "conversations/status", "pullrequests/status"],
    verbs: ["patch"],
  },
  { ...tenants, resources: ["integrationevents"], verbs: ["get", "list", "watch", "delete"] },
  { ...tenants, resources: ["conversations"], verbs: ["get", "list", "watch", "create", "delete"] },
  { ...tenants, resources: ["pullrequests"], verbs: ["get", "list", "watch", "create"] },
  { ...tenants, resources: ["sessions"], verbs: ["get", "list", "watch", "create"] },
  { ...tenants, resources: ["runs"], verbs: ["get", "create"] },
  { ...tenants, resources: ["prompts"], verbs: ["get", "list", "watch", "create", "patch"] },
  { scope: "tenants", apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
  { scope: "tokens", apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
  { scope: "release", apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "create", "update"] },
];
