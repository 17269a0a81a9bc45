import type { Permission } from "../lib/permissions.ts";

/** All that a thief of an ingress pod has: the text of Automations, hashes of keys by name, and new webhook Runs. */
export const permissions: readonly Permission[] = [
  { scope: "cluster", apiGroups: ["runwright.dev"], resources: ["automations"], verbs: ["get", "list", "watch"] },
  { scope: "cluster", apiGroups: ["runwright.dev"], resources: ["runs"], verbs: ["create"] },
  { scope: "keys", apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
];
