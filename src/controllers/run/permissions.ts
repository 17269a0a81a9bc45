import { group } from "../../api/v1alpha1/index.ts";
import type { Permission } from "../../lib/permissions.ts";

const tenants = { scope: "tenants", apiGroups: [group] } as const;

/** What the Run controller does in the cluster. */
export const permissions: readonly Permission[] = [
  // Writes of specs: the label of people's Runs, the payload that history empties, and copies of skipped Runs.
  { ...tenants, resources: ["runs"], verbs: ["get", "list", "watch", "create", "patch", "delete"] },
  { ...tenants, resources: ["runs/status", "automations/status", "prompts/status"], verbs: ["patch"] },
  { ...tenants, resources: ["sessions"], verbs: ["get", "list", "watch", "create", "delete"] },
  // Admission may require `delete` of a writer that sets an owner reference.
  { ...tenants, resources: ["prompts"], verbs: ["get", "list", "watch", "create", "delete"] },
  // Whether the archive has those of a Run.
  { ...tenants, resources: ["pullrequests"], verbs: ["list", "watch"] },
  { ...tenants, resources: ["automations", "repositories", "environments"], verbs: ["get", "list", "watch"] },
  { scope: "cluster", apiGroups: [group], resources: ["sandboxclasses"], verbs: ["get", "list", "watch"] },
  { scope: "tenants", apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
];
