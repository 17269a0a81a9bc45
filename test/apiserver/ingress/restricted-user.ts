import { readFile } from "node:fs/promises";
import { parse, stringify } from "yaml";
import { defineResource } from "../../../src/kube/core-resources.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import type { Permission } from "../../../src/lib/permissions.ts";
import type { KubeObject } from "../../../src/lib/resource.ts";

type Rbac = KubeObject & { rules?: object[]; roleRef?: object; subjects?: object[] };

const rbac = { group: "rbac.authorization.k8s.io", version: "v1" };
const clusterRoles = defineResource<Rbac>({ ...rbac, kind: "ClusterRole", plural: "clusterroles", namespaced: false });
const clusterRoleBindings = defineResource<Rbac>({
  ...rbac,
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  namespaced: false,
});

/** Gives a user the rights that code declares, and a kubeconfig that acts as that user. */
export async function restrictedKubeconfig(
  client: KubeClient,
  { kubeconfig, user, permissions }: { kubeconfig: string; user: string; permissions: readonly Permission[] },
): Promise<string> {
  const rules = permissions.map(({ apiGroups, resources, verbs }) => ({ apiGroups, resources, verbs }));
  await client.create(clusterRoles, { metadata: { name: user }, rules });
  await client.create(clusterRoleBindings, {
    metadata: { name: user },
    roleRef: { apiGroup: rbac.group, kind: "ClusterRole", name: user },
    subjects: [{ apiGroup: rbac.group, kind: "User", name: user }],
  });
  const config = parse(await readFile(kubeconfig, "utf8")) as { users: { user: { as?: string } }[] };
  for (const entry of config.users) entry.user.as = user;
  return stringify(config);
}
