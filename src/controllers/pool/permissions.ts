import { group } from "../../api/v1alpha1/kind.ts";
import type { Permission } from "../../lib/permissions.ts";

const tenants = { scope: "tenants", apiGroups: [group] } as const;

/** What the controller of pools may do beside what that of sessions may, which its pods are made for. */
export const permissions: readonly Permission[] = [
  { ...tenants, resources: ["sandboxpools"], verbs: ["get", "list", "watch"] },
  { ...tenants, resources: ["sandboxpools/status"], verbs: ["patch"] },
];
