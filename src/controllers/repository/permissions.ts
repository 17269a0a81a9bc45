import { group } from "../../api/v1alpha1/index.ts";
import type { Permission } from "../../lib/permissions.ts";

const tenants = { scope: "tenants", apiGroups: [group] } as const;
const cluster = { scope: "cluster", apiGroups: [group] } as const;
const kinds = ["repositories", "environments", "skills"];

/** What the controllers of Repositories, Environments, Skills and SandboxClasses do in the cluster. */
export const permissions: readonly Permission[] = [
  { ...tenants, resources: kinds, verbs: ["get", "list", "watch"] },
  { ...tenants, resources: kinds.map((kind) => `${kind}/status`), verbs: ["patch"] },
  { ...tenants, resources: ["integrations"], verbs: ["list", "watch"] },
  { ...cluster, resources: ["sandboxclasses"], verbs: ["get", "list", "watch"] },
  { ...cluster, resources: ["sandboxclasses/status"], verbs: ["patch"] },
  // Secrets that these kinds name: credentials, certificate authorities and secrets of sessions.
  { scope: "tenants", apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
  // That files of Skills come from.
  { scope: "tenants", apiGroups: [""], resources: ["configmaps"], verbs: ["get"] },
  { scope: "tenants", apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
];
