import type { Permission } from "../lib/permissions.ts";

/**
 * Kept small, because the ingress faces the Internet: it reads Automations, Integrations and, by name, hashes of keys and
 * signing secrets, creates Runs and IntegrationEvents, looks whether those of a name are there (docs/adr/0139), and writes
 * DeliveryLogs.
 */
export const permissions: readonly Permission[] = [
  { scope: "tenants", apiGroups: ["runwright.dev"], resources: ["automations"], verbs: ["get", "list", "watch"] },
  { scope: "tenants", apiGroups: ["runwright.dev"], resources: ["runs"], verbs: ["create", "get"] },
  { scope: "tenants", apiGroups: ["runwright.dev"], resources: ["deliverylogs"], verbs: ["create", "get", "patch"] },
  { scope: "tenants", apiGroups: ["runwright.dev"], resources: ["integrations"], verbs: ["get", "list", "watch"] },
  { scope: "tenants", apiGroups: ["runwright.dev"], resources: ["integrationevents"], verbs: ["create", "get"] },
  { scope: "keys", apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
];
