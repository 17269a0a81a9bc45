import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { permissions as controller } from "../../src/controllers/permissions.ts";
import { permissions as gateway } from "../../src/gateway/permissions.ts";
import { permissions as ingress } from "../../src/ingress/permissions.ts";
import type { Permission, PermissionScope } from "../../src/lib/permissions.ts";
import { type ApiClient, connectApi } from "../support/api-client.ts";
import { makeNamespace, testApi, testCluster } from "../support/cluster.ts";
import { until } from "../support/kube.ts";
import { collectionPath } from "./support/api-paths.ts";
import { renderChart } from "./support/render.ts";

// The API server is asked as each process's ServiceAccount itself, so aggregated and default roles count too.

const release = "least";
const tenant = "some-tenant";
const processes = { controller, ingress, gateway };
type Process = keyof typeof processes;

const rbacKinds = ["ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];
const users = new Map<Process, ApiClient>();
let namespaces: Record<PermissionScope, string>;

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
  namespaces = {
    cluster: tenant,
    release: namespace,
    keys: `${namespace}-${release}-keys`,
    sessions: `${namespace}-${release}-sessions`,
  };
  const chart = await renderChart({ name: release, namespace });
  for (const kind of ["Namespace", ...rbacKinds]) {
    for (const object of chart.ofKind(kind)) {
      // Parsed from the chart's own YAML, so it has all that a manifest has.
      const manifest = object as Parameters<typeof collectionPath>[1];
      await testApi().apply(`${await collectionPath(testApi(), manifest)}/${manifest.metadata.name}`, manifest);
    }
  }
  for (const process of Object.keys(processes) as Process[]) {
    users.set(process, connectApi(testCluster(), `system:serviceaccount:${namespace}:${release}-${process}`));
  }
  await until("the API server knows the release's roles", async () => {
    const asked = (Object.keys(processes) as Process[]).flatMap((process) =>
      neededBy(process).map((question) => isAllowed(process, question)),
    );
    return (await Promise.all(asked)).every(Boolean);
  });
});

afterAll(async () => {
  for (const user of users.values()) await user.close();
});

function neededBy(process: Process): Question[] {
  const declared: readonly Permission[] = processes[process];
  return declared.flatMap(({ scope, apiGroups, resources, verbs, resourceNames = [undefined] }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((path) => {
        const [resource = "", subresource] = path.split("/");
        return verbs.flatMap((verb) =>
          resourceNames.map((name) => ({ verb, group, resource, subresource, name, namespace: namespaces[scope] })),
        );
      }),
    ),
  );
}

async function isAllowed(process: Process, resourceAttributes: Question): Promise<boolean> {
  const { status, body } = await users
    .get(process)!
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
    "get runwright.dev/runs",
    "patch runwright.dev/automations",
    "get runwright.dev/sessions",
    "get runwright.dev/prompts",
    "create runwright.dev/sessions",
    "delete runwright.dev/deliverylogs",
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

describe.each(Object.keys(processes) as Process[])("%s", (process) => {
  it.each(refused[process])("may not %s in a tenant's namespace", async (line) => {
    const [, verb = "", group = "", resource = "", subresource] = /^(\w+) ([^/]*)\/(\w+)(?:\/(\w+))?$/.exec(line) ?? [];
    expect(await isAllowed(process, { verb, group, resource, subresource, namespace: tenant })).toBe(false);
  });

  it("may read no private namespace's Secrets beyond what it declares", async () => {
    const verbs = ["get", "list", "watch", "create", "update", "patch", "delete"];
    const questions = [namespaces.keys, namespaces.sessions].flatMap((namespace) =>
      verbs.map((verb) => ({ verb, group: "", resource: "secrets", namespace })),
    );
    const declared = neededBy(process).map(({ verb, resource, namespace }) => `${namespace} ${verb} ${resource}`);
    for (const question of questions) {
      const line = `${question.namespace} ${question.verb} ${question.resource}`;
      expect({ line, allowed: await isAllowed(process, question) }).toEqual({ line, allowed: declared.includes(line) });
    }
  });
});
