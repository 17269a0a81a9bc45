import { parse, stringify } from "yaml";
import type { V1ClusterRole, V1ClusterRoleBinding, V1PolicyRule } from "@kubernetes/client-node";

import { permissions as connector } from "../../src/connector/permissions.ts";
import type { ProcessName } from "../../src/config/common.ts";
import { permissions as controller } from "../../src/controllers/permissions.ts";
import { roleBindings, roles } from "../../src/controllers/sandbox/tenant/service-account.ts";
import { permissions as gateway } from "../../src/gateway/permissions.ts";
import { permissions as ingress } from "../../src/ingress/permissions.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { builtIn, subjectAccessReviews } from "../../src/kube/core-resources.ts";
import type { WireObject } from "../../src/kube/wire.ts";
import { type Permission, type PermissionScope, releaseNameMark } from "../../src/lib/permissions.ts";
import { serviceAccountUser } from "./authorized.ts";
import { clientOf, type Connection, newNamespace, until } from "./kube.ts";

const rbacGroup = "rbac.authorization.k8s.io";
const clusterRoles = builtIn<WireObject<V1ClusterRole>>(rbacGroup, "ClusterRole", "clusterroles", false);
const clusterRoleBindings = builtIn<WireObject<V1ClusterRoleBinding>>(
  rbacGroup,
  "ClusterRoleBinding",
  "clusterrolebindings",
  false,
);

/** The rights that each process declares. */
export const declaredPermissions: Readonly<Record<ProcessName, readonly Permission[]>> = {
  connector,
  controller,
  gateway,
  ingress,
};

/** A release of a test: its name and its namespaces, which are there. A process has no rights in one that is left out. */
export interface TestRelease {
  name: string;
  namespace: string;
  keysNamespace?: string;
  sessionsNamespace?: string;
  tokensNamespace?: string;
}

/** The namespaces of a release that no other test uses. */
export async function newRelease(client: KubeClient, name = "runwright"): Promise<Required<TestRelease>> {
  const [namespace, keysNamespace, sessionsNamespace, tokensNamespace] = await Promise.all([
    newNamespace(client, "system", "release"),
    newNamespace(client, "keys", "keys"),
    newNamespace(client, "sessions", "sessions"),
    newNamespace(client, "tokens", "tokens"),
  ]);
  return { name, namespace, keysNamespace, sessionsNamespace, tokensNamespace };
}

/** A process's client on the API server of a kubeconfig's text, where {@link grantProcess} has given the user its rights. */
export function processClient(process: ProcessName, kubeconfig: string, user: string): Connection {
  return clientOf({ text: impersonating(kubeconfig, user) }, `runwright-${process}`);
}

/** The kubeconfig's text for another user. */
export function impersonating(kubeconfig: string, user: string): string {
  // The file is one that the tests themselves wrote.
  const config = parse(kubeconfig) as { users: { user: Record<string, unknown> }[] };
  for (const entry of config.users) entry.user.as = user;
  return stringify(config);
}

/**
 * Gives a process of ours its ServiceAccount's rights as the chart does: those that it declares, or some of them, everywhere and in the release's namespaces.
 * Resolves with its user name once the API server knows them.
 */
export async function grantProcess(
  admin: KubeClient,
  process: ProcessName,
  release: TestRelease,
  permissions: readonly Permission[] = declaredPermissions[process],
): Promise<string> {
  const user = serviceAccountUser(release.namespace, `${release.name}-${process}`);
  const subjects = [{ apiGroup: rbacGroup, kind: "User", name: user }];
  const name = `${release.namespace}-${release.name}-${process}`;
  const rulesOf = (...scopes: PermissionScope[]): V1PolicyRule[] =>
    permissions.filter(({ scope }) => scopes.includes(scope)).map((permission) => ruleOf(permission, release.name));
  const everywhere = rulesOf("cluster", "tenants");
  await admin.create(clusterRoles, { metadata: { name }, rules: everywhere });
  const roleRef = { apiGroup: rbacGroup, kind: "ClusterRole", name };
  await admin.create(clusterRoleBindings, { metadata: { name }, roleRef, subjects });
  const places: [PermissionScope, string | undefined][] = [
    ["release", release.namespace],
    ["keys", release.keysNamespace],
    ["sessions", release.sessionsNamespace],
    ["tokens", release.tokensNamespace],
  ];
  for (const [scope, namespace] of places) {
    const rules = rulesOf(scope);
    if (namespace === undefined || rules.length === 0) continue;
    const metadata = { name: `${name}-${scope}`, namespace };
    await admin.create(roles, { metadata, rules });
    const ofRole = { ...roleRef, kind: "Role", name: metadata.name };
    await admin.create(roleBindings, { metadata, roleRef: ofRole, subjects });
    await untilKnown(admin, user, rules, namespace);
  }
  await untilKnown(admin, user, everywhere);
  return user;
}

function ruleOf({ apiGroups, resources, verbs, resourceNames }: Permission, release: string): V1PolicyRule {
  return {
    apiGroups: [...apiGroups],
    resources: [...resources],
    verbs: [...verbs],
    ...(resourceNames && { resourceNames: resourceNames.map((name) => name.replace(releaseNameMark, release)) }),
  };
}

/** The API server learns of all rules of a role at the same time. */
async function untilKnown(
  admin: KubeClient,
  user: string,
  [first]: readonly V1PolicyRule[],
  namespace?: string,
): Promise<void> {
  if (first === undefined) return;
  const { apiGroups: [group = ""] = [], resources: [wanted = ""] = [], verbs, resourceNames } = first;
  const [resource = "", subresource] = wanted.split("/");
  const resourceAttributes = {
    ...{ group, resource, verb: verbs[0]! },
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
    ...(resourceNames && { name: resourceNames[0]! }),
  };
  await until(`${user} has its rights`, async () => {
    const review = await admin.create(subjectAccessReviews, { metadata: {}, spec: { user, resourceAttributes } });
    return review.status?.allowed === true;
  });
}
