import { group } from "../../api/v1alpha1/index.ts";
import type { Permission } from "../../lib/permissions.ts";

const tenants = { scope: "tenants", apiGroups: [group] } as const;
const copied = ["get", "create", "patch", "delete"];

/** What the Integration controller does in the cluster. */
export const permissions: readonly Permission[] = [
  { ...tenants, resources: ["integrations"], verbs: ["get", "list", "watch"] },
  { ...tenants, resources: ["repositories"], verbs: ["list", "watch"] },
  { ...tenants, resources: ["integrations/status"], verbs: ["patch"] },
  // Signing secrets and credentials, which Integrations name, and their copies.
  { scope: "tenants", apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
  { scope: "keys", apiGroups: [""], resources: ["secrets"], verbs: copied },
  { scope: "tokens", apiGroups: [""], resources: ["secrets"], verbs: [...copied, "list"] },
  { scope: "tenants", apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
];
