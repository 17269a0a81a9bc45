import { Buffer } from "node:buffer";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

import {
  Automation,
  bundleDataKey,
  type Condition,
  Environment,
  githubAppsDataKey,
  globalSecretName,
  group,
  labels,
  Repository,
  Run,
  scopeLabels,
} from "../../../src/api/v1alpha1/index.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { roleBindings, roles } from "../../../src/controllers/sandbox/tenant/service-account.ts";
import { until } from "../../support/kube.ts";
import { sshKeyPair } from "../../support/ssh-key-pair.ts";
import { World } from "./world.ts";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const appKey = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const host = sshKeyPair().public;
const sshKey = sshKeyPair().private;
/** A line of a key that is no other key's; headers are every key's. */
const lineOf = (key: string): string => key.split("\n")[3] ?? "";

const planted = {
  everybody: "planted-for-everybody",
  shop: "planted-for-the-shop",
  password: "planted-for-the-guide",
  appKey: lineOf(appKey),
  sshKey: lineOf(sshKey),
};

const auditPolicy = join(import.meta.dirname, "..", "..", "..", "manifests", "audit-policy.yaml");

let world: World;
let folder: string;
let auditLog: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "runwright-audit-"));
  auditLog = join(folder, "audit.log");
  world = await World.working({
    apiserverFlags: [`--audit-policy-file=${auditPolicy}`, `--audit-log-path=${auditLog}`],
  });
  await plant();
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

/** Repositories with a GitHub App and an SSH key, and secrets beside those of the namespace, as the Automation's target. */
async function plant(): Promise<void> {
  const { client, namespace } = world;
  const { everybody, shop } = planted;
  const scope = (name: string, scoped: Record<string, string>, TOKEN: string) =>
    client.create(secrets, {
      metadata: { name, namespace, labels: scoped },
      stringData: { [`${name.slice(0, 4)}_T`]: TOKEN },
    });
  await scope(globalSecretName, scopeLabels("global", ""), everybody);
  await scope("shop-env", scopeLabels("environment", "shop"), shop);
  const secret = (name: string, type: string, stringData: Record<string, string>) =>
    client.create(secrets, { metadata: { name, namespace }, type, stringData });
  await secret("shop-app", "Opaque", { githubAppPrivateKey: appKey });
  const keyAndHosts = { "ssh-privatekey": sshKey, known_hosts: `git.example.com ${host}` };
  await secret("tools-ssh", "kubernetes.io/ssh-auth", keyAndHosts);
  await secret("guide-git", "kubernetes.io/basic-auth", { username: "robot", password: planted.password });
  const githubApp = {
    appID: 12,
    privateKeySecretRef: { name: "shop-app", key: "githubAppPrivateKey" },
    permissions: { contents: "write" as const },
    apiURL: "https://api.github.com",
  };
  const repository = (name: string, spec: Omit<Repository["spec"], "branch">) =>
    client.create(Repository, { metadata: { name, namespace }, spec: { branch: "main", ...spec } });
  await repository("shop", { url: "https://github.com/acme/shop.git", githubApp });
  await repository("tools", { url: "git@git.example.com:tools.git", credentialSecretRef: { name: "tools-ssh" } });
  await repository("guide", { url: "https://git.example.com/guide.git", credentialSecretRef: { name: "guide-git" } });
  const repositoryRefs = [{ name: "shop" }, { name: "tools" }, { name: "guide" }];
  await client.create(Environment, {
    metadata: { name: "shop", namespace },
    spec: { repositoryRefs, secretRef: { name: "shop-env" } },
  });
  const metadata = { name: "reader", namespace };
  await client.create(roles, {
    metadata,
    rules: [{ apiGroups: [group], resources: ["repositories", "environments"], verbs: ["get"] }],
  });
  await client.create(roleBindings, {
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
    subjects: [{ kind: "ServiceAccount", name: "runner", namespace }],
  });
  const targets = [{ environmentRef: { name: "shop" } }];
  await client.patch(Automation, { namespace, name: "fix" }, { spec: { targets } });
}

/** What base64 makes of a value that has so many bytes before it, wherever in a longer text it is. */
function base64Behind(before: number, value: string): string {
  const text = Buffer.from(" ".repeat(before) + value).toString("base64");
  return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + value.length) * 8) / 6));
}

/** The planted values as they are and in base64. */
const wanted = Object.values(planted).flatMap((value) => [
  value,
  ...[0, 1, 2].map((before) => base64Behind(before, value)),
]);

/** Keys of etcd under which a planted value is. */
async function whereFound(): Promise<string[]> {
  const stored = await world.readStorage();
  expect(stored.length).toBeGreaterThan(100);
  return stored
    .filter(({ value }) => wanted.some((one) => value.includes(one)))
    .map(({ key }) => key)
    .sort();
}

/** Which of the planted values are in a text. */
function plantedIn(text: string): string[] {
  return Object.entries(planted).flatMap(([what, value]) => (text.includes(value) ? [what] : []));
}

/** Which of them the session's bundle Secret has, by its data keys. */
async function inBundle(): Promise<Record<string, string[]>> {
  const [bundle] = (
    await world.client.list(secrets, { namespace: world.sessionsNamespace, labelSelector: labels.sessionUid })
  ).items;
  const decoded = Object.entries(bundle?.data ?? {}).map(([key, value]) => {
    return [key, plantedIn(Buffer.from(value, "base64").toString("utf8"))] as const;
  });
  return Object.fromEntries(decoded);
}

/** Rejects with the Run's conditions once it has ended. */
async function untilEnded(name: string): Promise<never> {
  let conditions: readonly Condition[] = [];
  await until(`Run ${name} has ended`, async () => {
    conditions = (await world.run(name)).status?.conditions ?? [];
    return conditions.some(({ type, status }) => type === "Succeeded" && status !== "Unknown");
  });
  throw new Error(`Run ${name} ended before its session worked: ${JSON.stringify(conditions)}`);
}

const tenantKeys = (): string[] =>
  [globalSecretName, "shop-env", "shop-app", "tools-ssh", "guide-git"].map(
    (name) => `/registry/secrets/${world.namespace}/${name}`,
  );

it("are in the Secrets that must hold them and nowhere else, while a session works and thereafter", async () => {
  const look = async () => ({ keys: await whereFound(), bundle: await inBundle() });
  const atWork = Promise.withResolvers<Awaited<ReturnType<typeof look>>>();
  world.proxies.gateway.decide(async ({ method, path }) => {
    // The outcome of the prompt: the runtime has had the bundle.
    if (method === "PATCH" && path.includes("/prompts/")) await look().then(atWork.resolve, atWork.reject);
    return undefined;
  });
  await world.deliver("works");
  const { keys, bundle } = await Promise.race([atWork.promise, untilEnded("works")]);
  const [session] = keys.filter((key) => !tenantKeys().includes(key));
  expect(session).toMatch(new RegExp(`^/registry/secrets/${world.sessionsNamespace}/[-0-9a-f]{36}-1$`));
  expect(bundle).toEqual({
    [bundleDataKey]: ["everybody", "shop", "password", "sshKey"],
    [githubAppsDataKey]: ["appKey"],
  });
  expect(plantedIn(world.received)).toEqual(["everybody", "shop", "password", "sshKey"]);
  world.proxies.gateway.decide(undefined);
  const run = await world.cleanedUp("works");
  expect(run.status?.conditions).toContainEqual(expect.objectContaining({ type: "Succeeded", status: "True" }));

  // Conditions, Events and logs say what is wrong with a Secret.
  const key = { namespace: world.namespace, name: "shop-env" };
  await world.client.patch(secrets, key, { metadata: { labels: { [labels.scopeName]: "other" } } });
  await world.deliver("refused");
  await until("the Run is refused", async () => {
    const refused = await world.client.get(Run, { namespace: world.namespace, name: "refused" });
    return refused.status?.conditions?.some(({ reason }) => reason === "InvalidSecret") ?? false;
  });
  await world.settled();
  expect(await whereFound()).toEqual(tenantKeys().sort());
  expect(world.output).not.toBe("");
  for (const value of wanted) expect(world.output).not.toContain(value);

  const audited = await readFile(auditLog, "utf8");
  // What was written to Sessions is there whole, of Secrets only that they were written.
  expect(audited).toContain('"requestObject":{"apiVersion":"runwright.dev/v1alpha1","kind":"Session"');
  expect(audited).toContain(`"resource":"secrets","namespace":"${world.sessionsNamespace}"`);
  for (const value of wanted) expect(audited).not.toContain(value);
});
