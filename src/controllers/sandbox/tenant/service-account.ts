import type { V1Role, V1RoleBinding } from "@kubernetes/client-node";
import { group } from "../../../api/v1alpha1/kind.ts";
import { sandboxAccountName } from "../../../api/v1alpha1/names.ts";
import { defineResource, type ServiceAccount } from "../../../kube/core-resources.ts";
import type { WireObject } from "../../../kube/wire.ts";
import { type Release, sandboxLabels } from "../labels.ts";

export type Role = WireObject<V1Role>;
export type RoleBinding = WireObject<V1RoleBinding>;

const rbac = { group: "rbac.authorization.k8s.io", version: "v1", namespaced: true };
export const roles = defineResource<Role>({ ...rbac, kind: "Role", plural: "roles" });
export const roleBindings = defineResource<RoleBinding>({ ...rbac, kind: "RoleBinding", plural: "rolebindings" });

/**
 * The account of sessions that name none, its Role and their binding, all of one name. It may use the default class and
 * read what sessions of the namespace work on, nothing else. A class lives in the cluster, but the question is always asked
 * with the session's namespace, so that a Role can answer it.
 */
export function makeSandboxAccount(
  namespace: string,
  release: Release,
  defaultClass: string | undefined,
): { account: ServiceAccount; role: Role; binding: RoleBinding } {
  const name = sandboxAccountName;
  const metadata = { name, namespace, labels: sandboxLabels(release) };
  const read = { apiGroups: [group], resources: ["repositories", "environments"], verbs: ["get"] };
  const use = { apiGroups: [group], resources: ["sandboxclasses"], verbs: ["use"] };
  return {
    account: { metadata, automountServiceAccountToken: false },
    role: {
      metadata,
      rules: defaultClass === undefined ? [read] : [read, { ...use, resourceNames: [defaultClass] }],
    },
    binding: {
      metadata,
      roleRef: { apiGroup: rbac.group, kind: "Role", name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
  };
}
