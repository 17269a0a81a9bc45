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

function metadataIn(namespace: string, release: Release): ServiceAccount["metadata"] {
  return { name: sandboxAccountName, namespace, labels: sandboxLabels(release) };
}

/** The account of sessions that name none; its Role and their binding have its name. */
export function makeSandboxAccount(namespace: string, release: Release): ServiceAccount {
  return { metadata: metadataIn(namespace, release), automountServiceAccountToken: false };
}

/**
 * May use the default class and read what sessions of the namespace work on, nothing else. A class lives in the cluster,
 * but the question is always asked with the session's namespace, so that a Role can answer it.
 */
export function makeSandboxRole(namespace: string, release: Release, defaultClass: string | undefined): Role {
  const use = { apiGroups: [group], resources: ["sandboxclasses"], verbs: ["use"] };
  return {
    metadata: metadataIn(namespace, release),
    rules: [
      { apiGroups: [group], resources: ["repositories", "environments"], verbs: ["get"] },
      ...(defaultClass === undefined ? [] : [{ ...use, resourceNames: [defaultClass] }]),
    ],
  };
}

export function makeSandboxRoleBinding(namespace: string, release: Release): RoleBinding {
  return {
    metadata: metadataIn(namespace, release),
    roleRef: { apiGroup: rbac.group, kind: "Role", name: sandboxAccountName },
    subjects: [{ kind: "ServiceAccount", name: sandboxAccountName, namespace }],
  };
}
