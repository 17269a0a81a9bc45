import { setTimeout as delay } from "node:timers/promises";

import { type ApiAnswer, type ApiClient, connectApi } from "../../support/api-client.ts";
import { startEquippedControlPlane } from "../../support/control-plane.setup.ts";
import { renderChart } from "./render.ts";

/** Roles that every cluster has and that the chart's roles are added to. */
export const roles = ["view", "edit", "admin"] as const;
export type Role = (typeof roles)[number];

/** What an authorizer is asked. */
export interface Attributes {
  verb: string;
  group: string;
  resource: string;
  subresource?: string;
}

/** A cluster whose controllers aggregate roles, and a tenant namespace in which one user has each role. */
export interface Tenancy {
  /**
   * Sends a request as the user of a role, dry where it writes. In paths `:ns` is where the tenant's objects of ours
   * are, `:tenant` its namespace and `:keys` the private one of keys.
   */
  send(role: Role, method: Parameters<ApiClient["send"]>[0], path: string, body?: object): Promise<ApiAnswer>;
  isAllowed(role: Role, attributes: Attributes): Promise<boolean>;
  close(): Promise<void>;
}

const tenant = "shop";
const ours = "/apis/runwright.dev/v1alpha1";
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const limitMs = 120_000;

export async function openTenancy(): Promise<Tenancy> {
  const plane = await startEquippedControlPlane({ policies: "as shipped" });
  const api = connectApi(plane);
  await plane.startControllerManager();
  const chart = await renderChart();
  for (const role of chart.ofKind("ClusterRole")) await api.apply(`${rbac}/clusterroles/${role.metadata.name}`, role);
  const keys = "runwright-system-runwright-keys";
  await fill(api, keys);
  const users = new Map(roles.map((role) => [role, connectApi(plane, `${role}er`)]));
  const isAllowed: Tenancy["isAllowed"] = async (role, attributes) => {
    const resourceAttributes = { namespace: tenant, ...attributes };
    const spec = { user: `${role}er`, resourceAttributes };
    const { body } = await api.send("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec,
    });
    return (body as { status: { allowed: boolean } }).status.allowed;
  };
  for (const role of roles) await bind(api, role, isAllowed);
  return {
    send(role, method, path, body) {
      const [plain = "", query] = path
        .replace(":ns", `${ours}/namespaces/${tenant}`)
        .replace(":tenant", tenant)
        .replace(":keys", keys)
        .split("?");
      const asked = method === "GET" ? query : "dryRun=All";
      return users.get(role)!.send(method, asked === undefined ? plain : `${plain}?${asked}`, typed(plain, body));
    },
    isAllowed,
    async close() {
      for (const client of [api, ...users.values()]) await client.close();
      await plane.stop();
    },
  };
}

/** What a POST needs beside the object itself. */
function typed(path: string, body: object | undefined): object | undefined {
  const kinds: Record<string, string> = {
    automations: "Automation",
    deliverylogs: "DeliveryLog",
    roles: "Role",
    runs: "Run",
  };
  const [, , group = "", version = ""] = path.split("/");
  const kind = kinds[path.split("/").at(-1) ?? ""];
  return body && kind ? { apiVersion: `${group}/${version}`, kind, ...body } : body;
}

/** The objects that requests name. */
async function fill(api: ApiClient, keys: string): Promise<void> {
  for (const name of [tenant, keys]) {
    await api.apply(`/api/v1/namespaces/${name}`, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  const secret = { apiVersion: "v1", kind: "Secret" };
  await api.apply(`/api/v1/namespaces/${tenant}/secrets/git`, { ...secret, metadata: { name: "git" } });
  await api.apply(`/api/v1/namespaces/${keys}/secrets/automation-u`, { ...secret, metadata: { name: "automation-u" } });
  const trigger = { type: "Manual" };
  const objects: [string, string, string, object][] = [
    ["automations", "Automation", "a", { instructions: "Do it.", trigger, serviceAccountName: "runner" }],
    ["runs", "Run", "r", { automationRef: { name: "a" }, trigger }],
    ["deliverylogs", "DeliveryLog", "a", {}],
    ["sandboxpools", "SandboxPool", "warm", { sandboxClassName: "standard", replicas: 1 }],
  ];
  for (const [plural, kind, name, spec] of objects) {
    const object = { apiVersion: "runwright.dev/v1alpha1", kind, metadata: { name }, spec };
    await api.apply(`${ours}/namespaces/${tenant}/${plural}/${name}`, object);
  }
}

/** Gives a user the role in the tenant's namespace, and returns when the chart's rights are part of it. */
async function bind(api: ApiClient, role: Role, isAllowed: Tenancy["isAllowed"]): Promise<void> {
  await api.apply(`${rbac}/namespaces/${tenant}/rolebindings/${role}`, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata: { name: role },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: `${role}er` }],
  });
  const expected: Attributes[] = [{ verb: "list", group: "runwright.dev", resource: "runs" }];
  if (role !== "view") expected.push({ verb: "create", group: "runwright.dev", resource: "runs" });
  const deadline = performance.now() + limitMs;
  for (const attributes of expected) {
    while (!(await isAllowed(role, attributes))) {
      if (performance.now() > deadline) throw new Error(`the role ${role} has not got ${JSON.stringify(attributes)}`);
      await delay(50);
    }
  }
}
