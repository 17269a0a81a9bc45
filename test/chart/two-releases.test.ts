import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { apiVersion, labels } from "../../src/api/v1alpha1/index.ts";
import { type ApiAnswer, type ApiClient, connectApi } from "../support/api-client.ts";
import { serviceAccountUser } from "../support/authorized.ts";
import { installPolicies, startEquippedControlPlane } from "../support/control-plane.setup.ts";
import type { ControlPlane } from "../../hack/cluster/cluster.ts";
import { until } from "../support/kube.ts";
import { collectionPath } from "./support/api-paths.ts";
import { renderChart } from "./support/render.ts";

// Two installations in one cluster, with the rights and the policies of both in force.

const releases = [
  { release: "runwright", home: "team-a", tenant: "shop" },
  { release: "runwright", home: "team-b", tenant: "payments" },
] as const;
const watching = ["ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"];
const policyKinds = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"];

/** May write our kinds and use no ServiceAccount, in both tenants' namespaces. */
const person = "ada";

let plane: ControlPlane;
let api: ApiClient;
const users = new Map<string, ApiClient>();

beforeAll(async () => {
  plane = await startEquippedControlPlane();
  api = connectApi(plane);
  const charts = await Promise.all(
    releases.map(({ release, home, tenant }) =>
      renderChart({ name: release, namespace: home, values: { watchNamespaces: [tenant] } }),
    ),
  );
  for (const name of releases.flatMap(({ home, tenant }) => [home, tenant])) await addNamespace(name);
  for (const { all } of charts) {
    for (const object of all.filter(({ kind }) => ["Namespace", ...watching].includes(kind))) {
      await api.apply(`${await collectionPath(api, object)}/${object.metadata.name}`, object);
    }
  }
  for (const { tenant } of releases) await fill(tenant);
  await installPolicies(
    api,
    charts.flatMap(({ all }) => all.filter(({ kind }) => policyKinds.includes(kind))),
  );
  await until("the API server knows the releases' roles", async () => {
    const asked = releases.flatMap(({ release, home, tenant }) => [
      isAllowed(serviceAccountUser(home, `${release}-controller`), "create", "sessions", tenant),
      isAllowed(serviceAccountUser(home, `${release}-gateway`), "patch", "automations", tenant),
      isAllowed(person, "patch", "automations", tenant),
    ]);
    return (await Promise.all(asked)).every(Boolean);
  });
});

afterAll(async () => {
  for (const client of [api, ...users.values()]) await client.close();
  await plane.stop();
});

async function addNamespace(name: string): Promise<void> {
  await api.apply(`/api/v1/namespaces/${name}`, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
}

const spec = {
  instructions: "Do it.",
  serviceAccountName: "runner",
  trigger: { type: "Webhook", webhook: { keyHashSecretRef: { name: "key", key: "sha256" } } },
};

/** An Automation that acts through an account and names a Secret, and what the person may do. */
async function fill(tenant: string): Promise<void> {
  await api.apply(`${pathOf(tenant, "automations")}/stored`, objectOf("Automation", "stored", spec));
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${tenant}`;
  const kind = { apiVersion: "rbac.authorization.k8s.io/v1", metadata: { name: "person" } };
  const rules = [
    { apiGroups: ["runwright.dev"], resources: ["automations", "sessions"], verbs: ["create", "patch"] },
    { apiGroups: [""], resources: ["secrets"], verbs: ["get", "create"] },
  ];
  await api.apply(`${rbac}/roles/person`, { ...kind, kind: "Role", rules });
  await api.apply(`${rbac}/rolebindings/person`, {
    ...kind,
    kind: "RoleBinding",
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "person" },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: person }],
  });
}

const pathOf = (tenant: string, plural: string): string => `/apis/${apiVersion}/namespaces/${tenant}/${plural}`;

function objectOf(kind: string, name: string, itsSpec: object): object {
  return { apiVersion, kind, metadata: { name }, spec: itsSpec };
}

async function isAllowed(user: string, verb: string, resource: string, namespace: string): Promise<boolean> {
  const { body } = await api.send("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: { user, resourceAttributes: { namespace, group: "runwright.dev", resource, verb } },
  });
  return (body as { status: { allowed: boolean } }).status.allowed;
}

/** Tries a request as another user. */
function tryAs(user: string, method: "POST" | "PATCH", path: string, object: object): Promise<ApiAnswer> {
  const client = users.get(user) ?? connectApi(plane, user);
  users.set(user, client);
  return client.send(method, `${path}?dryRun=All`, object);
}

function forbidden(message: string): object {
  return { status: 403, body: { message: expect.stringContaining(message) as unknown } };
}

describe.each(releases)("in the namespace of the release in $home", ({ release, home, tenant }) => {
  const stored = `${pathOf(tenant, "automations")}/stored`;
  const gateway = serviceAccountUser(home, `${release}-gateway`);
  const needed = `must be allowed to impersonate ServiceAccount ${tenant}/runner`;

  it("the controller may start a Session with the authority of an Automation", async () => {
    const metadata = { name: "tried", ownerReferences: [{ apiVersion, kind: "Run", name: "run", uid: "r" }] };
    const session = { ...objectOf("Session", "tried", { serviceAccountName: "runner" }), metadata };
    const controller = serviceAccountUser(home, `${release}-controller`);
    expect(await tryAs(controller, "POST", pathOf(tenant, "sessions"), session)).toMatchObject({ status: 201 });
  });

  it("the gateway may pause and resume, and start a child of a Session", async () => {
    expect(await tryAs(gateway, "PATCH", stored, { spec: { suspend: true } })).toMatchObject({ status: 200 });
    const ownerReferences = [{ apiVersion, kind: "Session", name: "parent", uid: "p" }];
    const metadata = { name: "child", labels: { [labels.parentUid]: "p" }, ownerReferences };
    const child = { ...objectOf("Session", "child", { serviceAccountName: "runner" }), metadata };
    expect(await tryAs(gateway, "POST", pathOf(tenant, "sessions"), child)).toMatchObject({ status: 201 });
  });

  it("the gateway may change nothing else", async () => {
    const answer = await tryAs(gateway, "PATCH", stored, { spec: { instructions: "Do more." } });
    expect(answer).toMatchObject(forbidden("spec: the gateway may change suspend only"));
  });

  it("no person acts through an account that they may not impersonate", async () => {
    const automation = objectOf("Automation", "tried", spec);
    expect(await tryAs(person, "POST", pathOf(tenant, "automations"), automation)).toMatchObject(forbidden(needed));
    const session = objectOf("Session", "tried", { serviceAccountName: "runner" });
    expect(await tryAs(person, "POST", pathOf(tenant, "sessions"), session)).toMatchObject(forbidden(needed));
    expect(await tryAs(person, "PATCH", stored, { spec: { suspend: true } })).toMatchObject(forbidden(needed));
  });

  it("secrets are held to their limits", async () => {
    const metadata = { name: "tried", labels: { [labels.secretScope]: "repository", [labels.scopeName]: "a" } };
    const secret = { apiVersion: "v1", kind: "Secret", metadata, data: { PATH: "" } };
    const answer = await tryAs(person, "POST", `/api/v1/namespaces/${tenant}/secrets`, secret);
    expect(answer).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining("data[PATH]: this key is reserved") as unknown },
    });
  });
});
