import { readFile } from "node:fs/promises";
import type { V1ClusterRole, V1ClusterRoleBinding } from "@kubernetes/client-node";
import { parse, stringify } from "yaml";
import type { KubeClient } from "../../../src/kube/client.ts";
import { defineResource } from "../../../src/kube/core-resources.ts";
import type { WireObject } from "../../../src/kube/wire.ts";
import type { Permission, PermissionScope } from "../../../src/lib/permissions.ts";
import { roleBindings, roles } from "../../../src/controllers/sandbox/tenant/service-account.ts";
import { clientOf } from "../../support/kube.ts";

const rbac = { group: "rbac.authorization.k8s.io", version: "v1", namespaced: false };
const clusterRoles = defineResource<WireObject<V1ClusterRole>>({
  ...rbac,
  kind: "ClusterRole",
  plural: "clusterroles",
});
const clusterRoleBindings = defineResource<WireObject<V1ClusterRoleBinding>>({
  ...rbac,
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
});

/**
 * A client of a user who may do what the permissions say and nothing else, so that a right that is missing from them
 * shows. `namespaces` are those of the scopes below the cluster.
 */
export async function restrictedClient(
  admin: KubeClient,
  kubeconfig: string,
  given: { user: string; permissions: readonly Permission[]; namespaces: Partial<Record<PermissionScope, string>> },
): Promise<ReturnType<typeof clientOf>> {
  const { user, permissions, namespaces } = given;
  const rulesOf = (...wanted: PermissionScope[]) =>
    permissions
      .filter(({ scope }) => wanted.includes(scope))
      .map(({ apiGroups, resources, verbs, resourceNames }) => ({
        apiGroups: [...apiGroups],
        resources: [...resources],
        verbs: [...verbs],
        ...(resourceNames ? { resourceNames: [...resourceNames] } : {}),
      }));
  const subjects = [{ apiGroup: rbac.group, kind: "User", name: user }];
  await admin.create(clusterRoles, { metadata: { name: user }, rules: rulesOf("cluster", "tenants") });
  const roleRef = { apiGroup: rbac.group, kind: "ClusterRole", name: user };
  await admin.create(clusterRoleBindings, { metadata: { name: user }, roleRef, subjects });
  for (const [scope, namespace] of Object.entries(namespaces) as [PermissionScope, string][]) {
    const metadata = { name: user, namespace };
    await admin.create(roles, { metadata, rules: rulesOf(scope) });
    await admin.create(roleBindings, { metadata, roleRef: { ...roleRef, kind: "Role" }, subjects });
  }
  return clientOf({ text: await impersonating(kubeconfig, user) });
}

async function impersonating(kubeconfig: string, user: string): Promise<string> {
  // The file is one that the tests themselves wrote.
  const config = parse(await readFile(kubeconfig, "utf8")) as { users: { user: Record<string, unknown> }[] };
  for (const entry of config.users) entry.user.as = user;
  return stringify(config);
}
