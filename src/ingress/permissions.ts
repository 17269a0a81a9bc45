import type { Permission } from "../lib/permissions.ts";

/**
 * Kept small, because the ingress faces the Internet: it reads Automations and hashes of keys by name, creates Runs,
 * and writes DeliveryLogs.
 */
export const permissions: readonly Permission[] = [
  { scope: "tenants", apiGroups: ["runwright.dev"], resources: ["automations"], verbs: ["get", "list", "watch"] },
  { scope: "tenants", apiGroups: ["runwright.dev"], resources: ["runs"], verbs: ["create"] },
  { scope: "tenants", apiGroups: ["runwright.dev"], resources: ["deliverylogs"], verbs: ["create", "get", "patch"] },
  { scope: "keys", apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
];
