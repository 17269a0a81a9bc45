import { processNames } from "../../../src/config.ts";
import type { Permission } from "../../../src/lib/permissions.ts";
import { permissions as controller } from "../../../src/controllers/permissions.ts";
import { permissions as gateway } from "../../../src/gateway/permissions.ts";
import { permissions as ingress } from "../../../src/ingress/permissions.ts";
import { collectionPath } from "../../chart/support/api-paths.ts";
import { renderChart } from "../../chart/support/render.ts";
import { installPolicies } from "../../support/control-plane.setup.ts";
import { serviceAccountUser } from "../../support/authorized.ts";
import { until } from "../../support/kube.ts";
import type { World } from "./world.ts";

const release = "runwright";
const declared: Record<string, readonly Permission[]> = { controller, gateway, ingress };
const rbacKinds = ["ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];
const policyKinds = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"];

/** Has the world's processes watch the tenant's namespace alone. Gives the user of each. */
export function watchTenantAlone(world: World): Promise<Partial<Record<string, string>>> {
  world.environment.RUNWRIGHT_WATCH_NAMESPACES = world.namespace;
  return limitProcesses(world, [world.namespace]);
}

/**
 * Has the world's processes work under the accounts, rights and limits that the
 * chart renders. Gives the user of each.
 */
export async function limitProcesses(
  world: World,
  watchNamespaces: readonly string[] = [],
): Promise<Partial<Record<string, string>>> {
  const { namespace, keysNamespace, sessionsNamespace } = world.release;
  const chart = await renderChart({
    name: release,
    namespace,
    values: {
      watchNamespaces,
      keysNamespace: { name: keysNamespace, create: false },
      sessionsNamespace: { name: sessionsNamespace, create: false },
    },
  });
  const api = world.connect();
  for (const object of chart.all.filter(({ kind }) => rbacKinds.includes(kind))) {
    await api.apply(`${await collectionPath(api, object)}/${object.metadata.name}`, object);
  }
  const policies = chart.all.filter(({ kind }) => policyKinds.includes(kind));
  await installPolicies(api, policies);
  const users = Object.fromEntries(
    processNames.map((process) => [process, serviceAccountUser(namespace, `${release}-${process}`)]),
  );
  const isKnown = async (user: string, { scope, apiGroups, resources, verbs }: Permission): Promise<boolean> => {
    const [resource, subresource] = resources[0]!.split("/");
    const where = { cluster: "", tenants: world.namespace, release: namespace };
    const places = { ...where, keys: keysNamespace, sessions: sessionsNamespace, tokens: namespace };
    const { body } = await api.send("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: {
        user,
        resourceAttributes: { namespace: places[scope], group: apiGroups[0], resource, subresource, verb: verbs[0] },
      },
    });
    return (body as { status: { allowed: boolean } }).status.allowed;
  };
  await until("the API server knows the release's roles", async () => {
    const asked = processNames.flatMap((process) =>
      (declared[process] ?? [])
        // The namespace of tokens is there with a connector alone.
        .filter(({ resourceNames, scope }) => resourceNames === undefined && scope !== "tokens")
        .map((permission) => isKnown(users[process] ?? "", permission)),
    );
    return (await Promise.all(asked)).every(Boolean);
  });
  await api.close();
  world.actAs(users);
  return users;
}
