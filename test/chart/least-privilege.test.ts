import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { permissions as connector } from "../../src/connector/permissions.ts";
import { permissions as controller } from "../../src/controllers/permissions.ts";
import { permissions as gateway } from "../../src/gateway/permissions.ts";
import { permissions as ingress } from "../../src/ingress/permissions.ts";
import { type Permission, type PermissionScope, releaseNameMark } from "../../src/lib/permissions.ts";
import { type ApiClient, connectApi } from "../support/api-client.ts";
import { makeNamespace, testApi, testCluster } from "../support/cluster.ts";
import { until } from "../support/kube.ts";
import { collectionPath } from "./support/api-paths.ts";
import { renderChart } from "./support/render.ts";

// The API server is asked as each process's ServiceAccount itself, so aggregated and default roles count too.

/** One serves the whole cluster, the other the tenant's namespace alone. */
const releases = ["least", "watching"] as const;
type Release = (typeof releases)[number];
const tenant = "some-tenant";
const elsewhere = "some-other-tenant";
const processes = { controller, ingress, gateway, connector };
type Process = keyof typeof processes;

const rbacKinds = ["ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];
const users = new Map<string, ApiClient>();
const namespacesOf = new Map<Release, Record<PermissionScope, string>>();

/** What an authorizer is asked; the group is empty for the core. */
interface Question {
  verb: string;
  group: string;
  resource: string;
  subresource?: string | undefined;
  name?: string | undefined;
  namespace: string;
}

beforeAll(async () => {
  const namespace = await makeNamespace("least");
  for (const tenantNamespace of [tenant, elsewhere]) {
    const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: tenantNamespace } };
    await testApi().apply(`/api/v1/namespaces/${tenantNamespace}`, object);
  }
  await install(namespace, "least", { "connector.enabled": true });
  await install(namespace, "watching", { watchNamespaces: [tenant], "connector.enabled": true });
});

async function install(namespace: string, release: Release, values: Record<string, unknown>): Promise<void> {
  namespacesOf.set(release, {
    cluster: tenant,
    tenants: tenant,
    release: namespace,
    keys: `${namespace}-${release}-keys`,
    sessions: `${namespace}-${release}-sessions`,
    tokens: `${namespace}-${release}-tokens`,
  });
  const chart = await renderChart({ name: release, namespace, values });
  for (const kind of ["Namespace", ...rbacKinds]) {
    for (const object of chart.ofKind(kind)) {
      // Parsed from the chart's own YAML, so it has all that a manifest has.
      const manifest = object as Parameters<typeof collectionPath>[1];
      await testApi().apply(`${await collectionPath(testApi(), manifest)}/${manifest.metadata.name}`, manifest);
    }
  }
  for (const process of Object.keys(processes) as Process[]) {
    users.set(
      `${release} ${process}`,
      connectApi(testCluster(), `system:serviceaccount:${namespace}:${release}-${process}`),
    );
  }
  await until("the API server knows the release's roles", async () => {
    const asked = (Object.keys(processes) as Process[]).flatMap((process) =>
      neededBy(release, process).map((question) => isAllowed(release, process, question)),
    );
    return (await Promise.all(asked)).every(Boolean);
  });
}

afterAll(async () => {
  for (const user of users.values()) await user.close();
});

function neededBy(release: Release, process: Process): Question[] {
  const namespaces = namespacesOf.get(release)!;
  const declared: readonly Permission[] = processes[process];
  return declared.flatMap(({ scope, apiGroups, resources, verbs, resourceNames = [undefined] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((path) => {
        const [resource = "", subresource] = path.split("/");
        return verbs.flatMap((verb) =>
          resourceNames.map((named) => {
            const name = named?.replace(releaseNameMark, release);
            return { verb, group, resource, subresource, name, namespace: namespaces[scope] };
          }),
        );
      }),
    ),
  );
}

async function isAllowed(release: Release, process: Process, resourceAttributes: Question): Promise<boolean> {
  const { status, body } = await users
    .get(`${release} ${process}`)!
    .send("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes },
    });
  expect(status).toBe(201);
  return (body as { status: { allowed: boolean } }).status.allowed;
}

/** What nothing of ours may do anywhere: `verb group/resource`. */
const forAll = [
  "list /secrets",
  "watch /secrets",
  "create /pods/exec",
  "create /pods/ephemeralcontainers",
  "create /serviceaccounts/token",
  "impersonate /serviceaccounts",
  "impersonate /users",
  "get /nodes",
  "delete /namespaces",
  "escalate rbac.authorization.k8s.io/clusterroles",
  "bind rbac.authorization.k8s.io/clusterroles",
  "create rbac.authorization.k8s.io/clusterrolebindings",
  "update apiextensions.k8s.io/customresourcedefinitions",
  "update admissionregistration.k8s.io/validatingadmissionpolicies",
  "update runwright.dev/automations",
  "update runwright.dev/runs",
  "delete runwright.dev/automations",
  "delete runwright.dev/repositories",
  "update runwright.dev/sandboxclasses",
];

const refused: Record<Process, readonly string[]> = {
  controller: [...forAll, "patch /secrets", "delete /secrets", "create runwright.dev/automations"],
  ingress: [
    ...forAll,
    "get /secrets",
    "get /pods",
    "create /pods",
    "list runwright.dev/runs",
    "watch runwright.dev/runs",
    "list runwright.dev/integrationevents",
    "patch runwright.dev/automations",
    "get runwright.dev/sessions",
    "get runwright.dev/prompts",
    "create runwright.dev/sessions",
    "delete runwright.dev/deliverylogs",
  ],
  connector: [
    ...forAll,
    "get /secrets",
    "get /pods",
    "create /pods",
    "list runwright.dev/runs",
    "patch runwright.dev/runs",
    "patch runwright.dev/automations",
    "create runwright.dev/integrationevents",
    "patch runwright.dev/integrations",
    "patch runwright.dev/sessions",
    "delete runwright.dev/sessions",
    "delete runwright.dev/prompts",
  ],
  gateway: [
    ...forAll,
    "get /secrets",
    "get /pods",
    "create /pods",
    "delete /pods",
    "patch runwright.dev/runs",
    "delete runwright.dev/sessions",
    "delete runwright.dev/prompts",
    "create runwright.dev/automations",
  ],
};

const cases = releases.flatMap((release) =>
  (Object.keys(processes) as Process[]).map((process) => ({ release, process })),
);

describe.each(cases)("$process of release $release", ({ release, process }) => {
  it.each(refused[process])("may not %s in a tenant's namespace", async (line) => {
    const [, verb = "", group = "", resource = "", subresource] = /^(\w+) ([^/]*)\/(\w+)(?:\/(\w+))?$/.exec(line) ?? [];
    expect(await isAllowed(release, process, { verb, group, resource, subresource, namespace: tenant })).toBe(false);
  });

  it("may read no private namespace's Secrets beyond what it declares", async () => {
    const verbs = ["get", "list", "watch", "create", "update", "patch", "delete"];
    const namespaces = namespacesOf.get(release)!;
    const questions = [namespaces.keys, namespaces.sessions].flatMap((namespace) =>
      verbs.map((verb) => ({ verb, group: "", resource: "secrets", namespace })),
    );
    const declared = neededBy(release, process).map(
      ({ verb, resource, namespace }) => `${namespace} ${verb} ${resource}`,
    );
    for (const question of questions) {
      const line = `${question.namespace} ${question.verb} ${question.resource}`;
      expect({ line, allowed: await isAllowed(release, process, question) }).toEqual({
        line,
        allowed: declared.includes(line),
      });
    }
  });
});

/** Asked of whatever namespace, since what they are about has none, or is the API server's in `default`. */
const withoutNamespace = ["sandboxclasses", "tokenreviews", "subjectaccessreviews", "nodes", "endpointslices"];

it.each(Object.keys(processes) as Process[])(
  "%s may do nothing in a namespace that is not watched",
  async (process) => {
    const needed = neededBy("watching", process).filter(
      ({ namespace, resource }) => namespace === tenant && !withoutNamespace.includes(resource),
    );
    expect(needed.length).toBeGreaterThan(2);
    for (const question of needed) {
      const [here, there] = await Promise.all([
        isAllowed("watching", process, question),
        isAllowed("watching", process, { ...question, namespace: elsewhere }),
      ]);
      expect({ ...question, here, there }).toEqual({ ...question, here: true, there: false });
    }
  },
);
