import type { Permission } from "../lib/permissions.ts";

/**
 * All that a thief of an ingress pod has: the text of Automations, hashes of keys by name, new webhook Runs, and the
 * records of deliveries.
 */
export const permissions: readonly Permission[] = [
  { scope: "tenants", apiGroups: ["runwright.dev"], resources: ["automations"], verbs: ["get", "list", "watch"] },
  { scope: "tenants", apiGroups: ["runwright.dev"], resources: ["runs"], verbs: ["create"] },
  { scope: "tenants", apiGroups: ["runwright.dev"], resources: ["deliverylogs"], verbs: ["create", "get", "patch"] },
  { scope: "keys", apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
];
