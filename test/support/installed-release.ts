import { type ProcessName, processNames } from "../../src/config/common.ts";
import type { Permission } from "../../src/lib/permissions.ts";
import { collectionPath } from "../chart/support/api-paths.ts";
import { renderChart } from "../chart/support/render.ts";
import type { ApiClient } from "./api-client.ts";
import { serviceAccountUser } from "./authorized.ts";
import { installPolicies } from "./control-plane.setup.ts";
import { until } from "./kube.ts";
import type { Manifest } from "./manifests.ts";
import { declaredPermissions } from "./process-accounts.ts";

const name = "runwright";
const rbacKinds = ["ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];
const policyKinds = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"];

/** The namespaces of a release `runwright`, which are there. */
export interface ReleaseNamespaces {
  namespace: string;
  keysNamespace: string;
  sessionsNamespace: string;
}

/** User names of a release's processes. */
export type ProcessUsers = Readonly<Record<string, string>>;

/**
 * Gives a release the accounts, roles and admission policies that the chart renders, and waits until they are in force; resolves with the user of each process.
 * With `watchNamespaces` it serves those alone.
 */
export async function installRelease(
  api: ApiClient,
  { namespace, keysNamespace, sessionsNamespace }: ReleaseNamespaces,
  watchNamespaces: readonly string[] = [],
): Promise<ProcessUsers> {
  const chart = await renderChart({
    name,
    namespace,
    values: {
      watchNamespaces,
      keysNamespace: { name: keysNamespace, create: false },
      sessionsNamespace: { name: sessionsNamespace, create: false },
    },
  });
  const ofKinds = (kinds: readonly string[]): Manifest[] => chart.all.filter(({ kind }) => kinds.includes(kind));
  for (const object of ofKinds(rbacKinds))
    await api.apply(`${await collectionPath(api, object)}/${object.metadata.name}`, object);
  await installPolicies(api, ofKinds(policyKinds));
  const accounts = ofKinds(["ServiceAccount"]).map(({ metadata }) => metadata.name);
  const users = Object.fromEntries(
    processNames
      .filter((process) => accounts.includes(`${name}-${process}`))
      .map((process) => [process, serviceAccountUser(namespace, `${name}-${process}`)]),
  );
  const [tenant = "default"] = watchNamespaces;
  const places = {
    ...{ cluster: "", tenants: tenant, release: namespace, tokens: namespace },
    ...{ keys: keysNamespace, sessions: sessionsNamespace },
  };
  await until("the API server knows the release's roles", async () => {
    const asked = Object.entries(users).flatMap(([process, user]) =>
      declaredPermissions[process as ProcessName]
        // The namespace of tokens is there with a connector alone.
        .filter(({ resourceNames, scope }) => resourceNames === undefined && scope !== "tokens")
        .map((permission) => isKnown(api, user, places[permission.scope], permission)),
    );
    return (await Promise.all(asked)).every(Boolean);
  });
  return users;
}

async function isKnown(
  api: ApiClient,
  user: string,
  namespace: string,
  { apiGroups, resources, verbs }: Permission,
): Promise<boolean> {
  const [resource, subresource] = resources[0]!.split("/");
  const { body } = await api.send("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: { user, resourceAttributes: { namespace, group: apiGroups[0], resource, subresource, verb: verbs[0] } },
  });
  return (body as { status: { allowed: boolean } }).status.allowed;
}
