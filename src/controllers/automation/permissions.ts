import { group } from "../../api/v1alpha1/index.ts";
import type { Permission } from "../../lib/permissions.ts";

const cluster = { scope: "cluster", apiGroups: [group] } as const;

/** What the Automation controller does in the cluster. */
export const permissions: readonly Permission[] = [
  {
    ...cluster,
    resources: ["automations", "runs", "sessions", "repositories", "environments"],
    verbs: ["get", "list", "watch"],
  },
  { ...cluster, resources: ["automations/status"], verbs: ["patch"] },
  // The Run of a due slot.
  { ...cluster, resources: ["runs"], verbs: ["create"] },
  // History: Runs that nobody needs go, keyed ones lose their payload and sessions.
  { ...cluster, resources: ["runs"], verbs: ["patch", "delete"] },
  { ...cluster, resources: ["sessions"], verbs: ["delete"] },
  // Hashes of API keys and secrets of targets, in Secrets of people's; all are named, so none are listed.
  { scope: "cluster", apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
  { scope: "keys", apiGroups: [""], resources: ["secrets"], verbs: ["get", "create", "patch", "delete"] },
  { scope: "cluster", apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
];
