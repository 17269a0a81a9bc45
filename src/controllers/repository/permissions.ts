import { group } from "../../api/v1alpha1/index.ts";
import type { Permission } from "../../lib/permissions.ts";

const cluster = { scope: "cluster", apiGroups: [group] } as const;
const kinds = ["repositories", "environments", "sandboxclasses"];

/** What the controllers of Repositories, Environments and SandboxClasses do in the cluster. */
export const permissions: readonly Permission[] = [
  { ...cluster, resources: kinds, verbs: ["get", "list", "watch"] },
  { ...cluster, resources: kinds.map((kind) => `${kind}/status`), verbs: ["patch"] },
  // Credentials, certificate authorities and secrets of scopes; all are named, so none are listed.
  { scope: "cluster", apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
  { scope: "cluster", apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
];
