import { readFile } from "node:fs/promises";

import type { ControlPlane } from "../../../hack/cluster/cluster.ts";
import { foreignDefinitions } from "../../../hack/toolchain/foreign-definitions.ts";
import { group, kinds } from "../../../src/api/v1alpha1/index.ts";
import { httpRoutes } from "../../../src/controllers/sandbox/network/tunnel-objects.ts";
import { volumeSnapshots } from "../../../src/controllers/sandbox/pod/volume-snapshots.ts";
import type { Process } from "../../../src/api/v1alpha1/process-policies.ts";
import { type ApiAnswer, type ApiClient, connectApi } from "../../support/api-client.ts";
import { type Definition, installDefinitions, startEquippedControlPlane } from "../../support/control-plane.setup.ts";
import { until } from "../../support/kube.ts";
import { parseManifests } from "../../support/manifests.ts";
import { keysNamespace, release, sessionsNamespace, tenant, tokensNamespace, type Tried } from "./tried.ts";

/** A control plane on which the policies alone limit our processes: their users have all rights. */
export interface PolicyWorld {
  admin: ApiClient;
  as(process: Process | Other): ApiClient;
  close(): Promise<void>;
}

const processes = ["ingress", "gateway", "controller", "connector"] as const;
const others = {
  stranger: "stranger",
  "generic-garbage-collector": "system:serviceaccount:kube-system:generic-garbage-collector",
  "namespace-controller": "system:serviceaccount:kube-system:namespace-controller",
};
/** Users that are no process of ours. */
export type Other = keyof typeof others;

export async function openPolicyWorld(): Promise<PolicyWorld> {
  const plane = await startEquippedControlPlane({ policies: "as shipped" });
  const admin = connectApi(plane);
  const texts = await Promise.all((await foreignDefinitions()).map((path) => readFile(path, "utf8")));
  await installDefinitions(admin, texts.flatMap(parseManifests) as Definition[]);
  for (const name of [tenant, release.namespace, keysNamespace, sessionsNamespace, tokensNamespace]) {
    await post(admin, "/api/v1/namespaces", { metadata: { name } });
  }
  await prepareAccounts(admin);
  const users = new Map<Process | Other, ApiClient>([
    ...processes.map((name) => [name, clientOf(plane, userOf(name))] as const),
    ...Object.entries(others).map(([name, user]) => [name as Other, clientOf(plane, user)] as const),
  ]);
  return {
    admin,
    as: (name) => users.get(name)!,
    async close() {
      await Promise.all([admin, ...users.values()].map((client) => client.close()));
      await plane.stop();
    },
  };
}

function userOf(process: Process): string {
  return `system:serviceaccount:${release.namespace}:${release.name}-${process}`;
}

function clientOf(plane: ControlPlane, user: string): ApiClient {
  return connectApi(plane, user, "system:masters");
}

/** `runner` may use class `standard` and `other` may not. */
async function prepareAccounts(admin: ApiClient): Promise<void> {
  for (const name of ["runner", "other"])
    await post(admin, `/api/v1/namespaces/${tenant}/serviceaccounts`, { metadata: { name } });
  // Of pods of the release.
  await post(admin, `/api/v1/namespaces/${release.namespace}/serviceaccounts`, { metadata: { name: "runner" } });
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${tenant}`;
  const rules = [{ apiGroups: [group], resources: ["sandboxclasses"], verbs: ["use"], resourceNames: ["standard"] }];
  await post(admin, `${rbac}/roles`, { metadata: { name: "runner" }, rules });
  await post(admin, `${rbac}/rolebindings`, {
    metadata: { name: "runner" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "runner" },
    subjects: [{ kind: "ServiceAccount", name: "runner", namespace: tenant }],
  });
  const spec = {
    user: `system:serviceaccount:${tenant}:runner`,
    resourceAttributes: { namespace: tenant, group, resource: "sandboxclasses", verb: "use", name: "standard" },
  };
  await until("the account may use the class", async () => {
    const { body } = await admin.send("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", { spec });
    return (body as { status?: { allowed?: boolean } }).status?.allowed === true;
  });
}

/** Creates an object that is not there yet. */
export async function post(client: ApiClient, path: string, object: object): Promise<void> {
  const { status, body } = await client.send("POST", path, typed(path, object));
  if (status !== 201 && status !== 409) throw new Error(`${path}: ${JSON.stringify(body)}`);
}

const kindOf = new Map(
  [...kinds, httpRoutes, volumeSnapshots].map((one) => [`${one.group}/${one.version} ${one.plural}`, one.kind]),
);

/** With the type that the API server wants named of kinds that are not its own. */
function typed(path: string, object: object): object {
  const [, apiVersion = "", plural = ""] = /^\/apis\/([^/]+\/[^/]+)\/.*?([^/]+)$/.exec(path) ?? [];
  const kind = kindOf.get(`${apiVersion} ${plural}`);
  return kind === undefined ? object : { apiVersion, kind, ...object };
}

/** The answer to a write, changed by a merge patch; nothing is stored. */
export function attempt(client: ApiClient, tried: Tried, change: object = {}): Promise<ApiAnswer> {
  const { path, stored, object, subresource = "" } = tried;
  if (stored === undefined) return client.send("POST", `${path}?dryRun=All`, typed(path, mergePatched(object, change)));
  const sent = merged(object, change) as object;
  const { name } = (stored as { metadata: { name: string } }).metadata;
  return client.send("PATCH", `${path}/${name}${subresource}?dryRun=All`, sent);
}

function merged(base: unknown, change: unknown): unknown {
  if (!isMap(change)) return change;
  const names = new Set([...Object.keys(isMap(base) ? base : {}), ...Object.keys(change)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const before = isMap(base) ? base[name] : undefined;
      return [name, name in change ? merged(before, change[name]) : before];
    }),
  );
}

/** The object after the patch. */
function mergePatched(base: object, change: object): object {
  return withoutNulls(merged(base, change)) as object;
}

function withoutNulls(value: unknown): unknown {
  if (!isMap(value)) return value;
  const kept = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]));
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
