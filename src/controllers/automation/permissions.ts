import { group } from "../../api/v1alpha1/index.ts";
import type { Permission } from "../../lib/permissions.ts";

const tenants = { scope: "tenants", apiGroups: [group] } as const;

/** What the Automation controller does in the cluster. */
export const permissions: readonly Permission[] = [
  {
    ...tenants,
    resources: ["automations", "runs", "sessions", "repositories", "environments", "integrations"],
    verbs: ["get", "list", "watch"],
  },
  // Whether sessions of Runs are at work.
  { ...tenants, resources: ["prompts"], verbs: ["list", "watch"] },
  { ...tenants, resources: ["automations/status"], verbs: ["patch"] },
  // The Run of a due slot.
  { ...tenants, resources: ["runs"], verbs: ["create"] },
  // History: old Runs are deleted, and keyed ones lose their payload and sessions.
  { ...tenants, resources: ["runs"], verbs: ["patch", "delete"] },
  { ...tenants, resources: ["sessions"], verbs: ["delete"] },
  // Secrets that automations and targets name: hashes of API keys, and secrets of sessions.
  { scope: "tenants", apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
  { scope: "keys", apiGroups: [""], resources: ["secrets"], verbs: ["get", "create", "patch", "delete"] },
  { scope: "tenants", apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
];
