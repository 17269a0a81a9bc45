import { group } from "../../api/v1alpha1/kind.ts";
import type { Permission } from "../../lib/permissions.ts";

const tenants = { scope: "tenants", apiGroups: [group] } as const;

/** What the session controller may do. */
export const permissions: readonly Permission[] = [
  { ...tenants, resources: ["sessions", "prompts"], verbs: ["get", "list", "watch"] },
  { scope: "cluster", apiGroups: [group], resources: ["sandboxclasses"], verbs: ["get", "list", "watch"] },
  { ...tenants, resources: ["runs", "repositories", "environments"], verbs: ["get"] },
  // A Session of the connector's is held against its Conversation's Integration.
  { ...tenants, resources: ["conversations", "integrations"], verbs: ["get"] },
  { ...tenants, resources: ["skills"], verbs: ["list"] },
  // What its owner's deletion has left behind.
  { ...tenants, resources: ["sessions", "prompts"], verbs: ["delete"] },
  { ...tenants, resources: ["sessions/status", "prompts/status"], verbs: ["patch"] },
  {
    scope: "tenants",
    apiGroups: [""],
    resources: ["pods"],
    verbs: ["get", "list", "watch", "create", "patch", "delete"],
  },
  // What keeps a pod from starting and is in no status.
  { scope: "tenants", apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["list"] },
  // No resource: an admission policy asks for it where a pod gets an owner of ours.
  { ...tenants, resources: ["sandboxes"], verbs: ["create"] },
  // Secrets of tenants are named by what uses them, so they are never listed.
  { scope: "tenants", apiGroups: [""], resources: ["secrets", "serviceaccounts"], verbs: ["get"] },
  // That files of Skills come from.
  { scope: "tenants", apiGroups: [""], resources: ["configmaps"], verbs: ["get"] },
  // Policies of others that select a sandbox are warned of.
  { scope: "tenants", apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: ["list"] },
  // Workspaces of classes that name a VolumeSnapshotClass.
  {
    scope: "tenants",
    apiGroups: ["snapshot.storage.k8s.io"],
    resources: ["volumesnapshots"],
    verbs: ["get", "list", "create", "delete"],
  },
  // Tunnel ports of classes with a route of their own; the objects go with the pod.
  { scope: "tenants", apiGroups: [""], resources: ["services"], verbs: ["get", "create"] },
  {
    scope: "tenants",
    apiGroups: ["networking.k8s.io"],
    resources: ["networkpolicies", "ingresses"],
    verbs: ["get", "create"],
  },
  { scope: "tenants", apiGroups: ["gateway.networking.k8s.io"], resources: ["httproutes"], verbs: ["get", "create"] },
  { scope: "cluster", apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
  { scope: "sessions", apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "watch", "create", "delete"] },
  { scope: "sessions", apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "list", "watch"] },
  { scope: "release", apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["get", "list", "watch"] },
];
