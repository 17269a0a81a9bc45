import { afterEach, beforeEach, expect, it } from "vitest";
import {
  Environment,
  labels,
  Repository,
  SandboxClass,
  Session,
  type Settings,
} from "../../../src/api/v1alpha1/index.ts";
import { defineResource, pods } from "../../../src/kube/core-resources.ts";
import type { KubeObject } from "../../../src/lib/resource.ts";
import { testCluster } from "../../support/cluster.ts";
import { World } from "./world.ts";

const hour = 3_600_000;

const priorityClasses = defineResource<KubeObject & { value: number }>({
  group: "scheduling.k8s.io",
  version: "v1",
  kind: "PriorityClass",
  plural: "priorityclasses",
  namespaced: false,
});
const runtimeClasses = defineResource<KubeObject & { handler: string }>({
  group: "node.k8s.io",
  version: "v1",
  kind: "RuntimeClass",
  plural: "runtimeclasses",
  namespaced: false,
});

let world: World;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  await world.allowRunner([{ resources: ["repositories", "environments"], verbs: ["get"] }]);
});
afterEach(() => world.close());

async function createScopes(scopes: Record<string, Settings>): Promise<void> {
  const { client, namespace } = world;
  for (const [name, settings] of Object.entries(scopes)) {
    const spec = { url: `https://git.example.com/${name}.git`, branch: "main", settings };
    await client.create(Repository, { metadata: { name, namespace }, spec });
  }
}

const boundedOf = ({ status }: Session | Repository) =>
  status?.conditions?.find(({ type }) => type === "SettingsBounded");

const repositories = (...names: string[]) => ({ repositoryRefs: names.map((name) => ({ name })) });

it("copies into a session what operator, Repository, Environment and Session come to, once", async () => {
  const { client, namespace } = world;
  world.operatorSettings = { sandboxTimeoutMs: hour, tunnelPorts: [3000, 5173], maxSessionCostUsd: "5" };
  await client.patch(SandboxClass, { name: namespace }, { spec: { sandboxTimeoutMs: null } });
  await createScopes({ web: { tunnelPorts: [8000] }, api: {} });
  const repositoryRefs = [{ name: "web" }, { name: "api" }];
  const settings = { sandboxTimeoutMs: 2 * hour, tunnelPorts: [] };
  await client.create(Environment, { metadata: { name: "env-1", namespace }, spec: { repositoryRefs, settings } });
  await world.startOperator();

  const cases: [string, Session["spec"]["target"], Settings, [number, number[]]][] = [
    ["none", {}, {}, [hour, [3000, 5173]]],
    ["web", repositories("web"), {}, [hour, [8000]]],
    ["api", repositories("api"), {}, [hour, [3000, 5173]]],
    ["environment", { environmentRef: { name: "env-1" } }, {}, [2 * hour, []]],
    ["api-web", repositories("api", "web"), {}, [hour, [3000, 5173]]],
    ["web-api", repositories("web", "api"), {}, [hour, [8000]]],
    ["own", repositories("web"), { sandboxTimeoutMs: 1_000, maxSessionCostUsd: "1.5" }, [1_000, [8000]]],
  ];
  for (const [name, target, own, [sandboxTimeoutMs, tunnelPorts]] of cases) {
    const created = await world.createSession(name, { target, settings: own });
    await world.createPrompt(created, 1);
    const { status } = await world.untilSession(name, "with settings", (one) => one.settings !== undefined, 500);
    expect([name, status]).toMatchObject([
      name,
      {
        lifetimeMs: sandboxTimeoutMs,
        executionTimeoutMs: sandboxTimeoutMs,
        // The session's own cost limit may change at any time, so it is not part of the copy.
        settings: { sandboxTimeoutMs, tunnelPorts, maxSessionCostUsd: "5", maxTotalChildSessions: 15 },
      },
    ]);
  }
  const { status } = await world.session("environment");
  expect(status?.settingOrigins).toContainEqual({ name: "tunnelPorts", origin: "Environment/env-1" });
  expect(status?.settingOrigins).toContainEqual({ name: "maxSessionCostUsd", origin: "Operator" });
});

it("a sandbox has a tunnel for each port, which its status and its bundle say", async () => {
  const { namespace } = world;
  await world.startOperator();
  const created = await world.createSession("open", { settings: { tunnelPorts: [3000, 8080] } });
  await world.createPrompt(created, 1);
  const { status, metadata } = await world.untilSession(
    "open",
    "with a sandbox",
    (one) => one.sandbox !== undefined,
    500,
  );
  const url = (port: number): string => `https://gateway.invalid/sessions/${namespace}.open/tunnels/${port}/`;
  expect(status?.sandbox?.tunnels).toEqual([3000, 8080].map((port) => ({ port, url: url(port) })));
  expect(await world.bundle({ metadata }, 1)).toMatchObject({ tunnels: { ports: [3000, 8080], waitSeconds: 30 } });
});

it("a session that waits for a place keeps the settings of its creation", async () => {
  const { client, namespace } = world;
  await client.patch(SandboxClass, { name: namespace }, { spec: { maxSandboxes: 1 } });
  await createScopes({ web: { sandboxTimeoutMs: hour } });
  await world.startOperator();
  const first = await world.createSession("first", { idleTimeoutSeconds: 600 });
  await world.untilPod(1);
  const waiting = await world.createSession("waiting", { target: repositories("web") });
  await world.createPrompt(waiting, 1);
  const { status } = await world.untilSession("waiting", "with settings", (one) => one.settings !== undefined);
  expect(status?.sandbox).toBeUndefined();

  await client.patch(Repository, { namespace, name: "web" }, { spec: { settings: { sandboxTimeoutMs: 2 * hour } } });
  await client.delete(Session, { namespace, name: "first" });
  for (const pod of await world.pods()) {
    if (pod.metadata.ownerReferences?.[0]?.uid === first.metadata.uid) {
      await client.delete(pods, { namespace, name: pod.metadata.name ?? "" });
    }
  }
  const started = await world.untilSession("waiting", "with a sandbox", (one) => one.sandbox !== undefined, 500);
  expect(started.status).toMatchObject({ lifetimeMs: hour, executionTimeoutMs: hour, settings: status?.settings });
  const [pod] = await world.pods();
  expect(pod?.spec?.activeDeadlineSeconds).toBe(1_800 + 3_600 + 600 + 600);
});

it("a copy stays when a controller with other settings takes over, for further sandboxes too", async () => {
  world.operatorSettings = { sandboxTimeoutMs: hour, tunnelPorts: [3000], maxSessionCostUsd: "5" };
  await world.client.patch(SandboxClass, { name: world.namespace }, { spec: { sandboxTimeoutMs: null } });
  const first = await world.startOperator();
  const own = { settings: { maxSessionCostUsd: "1.5" } };
  const session = await world.createSession("before", own);
  await world.createPrompt(session, 1);
  await world.bringUp(session);
  await world.untilSession("before", "at work", ({ currentPrompt }) => currentPrompt !== undefined);
  await world.settlePrompt("before-1", true, "Completed");
  const before = await world.untilSession("before", "ended", ({ sandbox }) => sandbox?.endTime !== undefined);
  await first.stop();

  world.operatorSettings = { sandboxTimeoutMs: hour / 2, tunnelPorts: [9000], maxSessionCostUsd: "6" };
  await world.startOperator();
  await world.createPrompt(session, 2);
  const { status } = await world.untilSession("before", "started again", ({ sandbox }) => sandbox?.attempt === 2, 500);
  const copied = { sandboxTimeoutMs: hour, tunnelPorts: [3000], maxSessionCostUsd: "5" };
  expect(status).toMatchObject({ lifetimeMs: hour, executionTimeoutMs: hour, settings: copied });
  expect([status?.settings, status?.settingOrigins]).toEqual([before.status?.settings, before.status?.settingOrigins]);

  await world.createPrompt(await world.createSession("after", own), 1);
  const after = await world.untilSession("after", "with settings", ({ settings }) => settings !== undefined, 500);
  expect(after.status).toMatchObject({ lifetimeMs: hour / 2, settings: world.operatorSettings });
});

it("a sandbox clones as its Repositories say, and what the session names of them", async () => {
  const { client, namespace } = world;
  await createScopes({ web: {}, api: {}, docs: {} });
  const clone = { depth: 1, filter: "blob:none", submodules: "Recursive", lfs: "Fetch" } as const;
  await client.patch(Repository, { namespace, name: "web" }, { spec: { clone } });
  await world.startOperator();
  const commit = "0123456789".repeat(4);
  const repositoryRefs = [{ name: "web", branch: "topic" }, { name: "api", commit }, { name: "docs" }];
  const session = await world.createSession("fix", { target: { repositoryRefs } });
  await world.createPrompt(session, 1);
  await world.untilPod(1);
  const { repositories: found } = await world.bundle(session, 1);
  expect(found.map(({ branch, commit: id, clone: how }) => ({ branch, commit: id, clone: how }))).toEqual([
    { branch: "topic", commit: undefined, clone },
    { branch: "main", commit, clone: undefined },
    { branch: "main", commit: undefined, clone: undefined },
  ]);
});

it("a session keeps the repositories that its Environment had when it was created", async () => {
  const { client, namespace } = world;
  await createScopes({ web: {}, api: {}, docs: {} });
  const listOf = (...names: string[]) => ({ repositoryRefs: names.map((name) => ({ name })) });
  await client.create(Environment, { metadata: { name: "shop", namespace }, spec: listOf("web", "api") });
  await world.startOperator();
  const target = { environmentRef: { name: "shop" } };
  const session = await world.createSession("before", { target });
  await world.createPrompt(session, 1);
  await world.bringUp(session);
  await world.untilSession("before", "at work", ({ currentPrompt }) => currentPrompt !== undefined);
  await world.settlePrompt("before-1", true, "Completed");
  await world.untilSession("before", "ended", ({ sandbox }) => sandbox?.endTime !== undefined);

  await client.patch(Environment, { namespace, name: "shop" }, { spec: listOf("docs", "api") });
  await world.createPrompt(session, 2);
  await world.untilSession("before", "started again", ({ sandbox }) => sandbox?.attempt === 2, 500);
  const clonesOf = async (of: Session, attempt: number) =>
    ((await world.bundle(of, attempt)) as { repositories: { name: string }[] }).repositories.map(({ name }) => name);
  expect(await clonesOf(session, 2)).toEqual(["web", "api"]);

  const young = await world.createSession("after", { target });
  await world.createPrompt(young, 1);
  const { status } = await world.untilSession("after", "started", ({ sandbox }) => sandbox !== undefined, 500);
  expect(status?.repositories).toEqual(["docs", "api"]);
  expect(await clonesOf(young, 1)).toEqual(["docs", "api"]);
});

it("a class of 45 minutes bounds a longer lifetime, and the session says whose, and whose maximum", async () => {
  const { client, namespace } = world;
  const spec = { sandboxTimeoutMs: null, maxSandboxTimeoutMs: 2_700_000 };
  await client.patch(SandboxClass, { name: namespace }, { spec });
  await createScopes({ long: { sandboxTimeoutMs: 2_701_000 }, short: {} });
  await world.startOperator();

  const of = (name: string) => world.untilSession(name, "with a sandbox", (one) => one.sandbox !== undefined, 500);
  for (const name of ["long", "short"]) {
    await world.createPrompt(await world.createSession(name, { target: repositories(name) }), 1);
  }
  const [long, short] = [await of("long"), await of("short")];
  expect([long.status?.lifetimeMs, short.status?.lifetimeMs]).toEqual([2_700_000, 2_700_000]);
  expect(boundedOf(short)).toBeUndefined();
  expect(boundedOf(long)).toMatchObject({
    status: "True",
    reason: "SettingAboveLimit",
    message: `sandboxTimeoutMs 2701000 (Repository/long) is above maxSandboxTimeoutMs 2700000 (SandboxClass/${namespace}), which counts`,
  });
  expect(long.status?.settingOrigins).toContainEqual({ name: "sandboxTimeoutMs", origin: `SandboxClass/${namespace}` });
});

it("nothing of ours ends a sandbox of a class that leaves the lifetime out", async () => {
  const { client, namespace } = world;
  await client.patch(SandboxClass, { name: namespace }, { spec: { sandboxTimeoutMs: null } });
  await world.startOperator();
  const session = await world.createSession("free", { idleTimeoutSeconds: 600 });
  const { status } = await world.untilSession("free", "with a sandbox", (one) => one.sandbox !== undefined, 500);
  expect([status?.lifetimeMs, status?.settings?.sandboxTimeoutMs]).toEqual([undefined, undefined]);
  const [pod] = await world.pods();
  expect(pod?.metadata.ownerReferences?.[0]?.uid).toBe(session.metadata.uid);
  expect(pod?.spec?.activeDeadlineSeconds).toBeUndefined();
});

it("starts no further prompt at the cost limit until the session's is raised", async () => {
  const { client, namespace } = world;
  world.operatorSettings = { maxSessionCostUsd: "0.30" };
  const operator = await world.startOperator();
  const session = await world.createSession("fix", { idleTimeoutSeconds: 600 });
  await world.createPrompt(session, 1);
  await world.createPrompt(session, 2);
  await world.createPrompt(session, 3);
  await world.bringUp(session);
  const running = (uid: string | undefined) =>
    world.untilSession("fix", "running", ({ currentPrompt }) => currentPrompt?.uid === uid);
  const [first, second, third] = await Promise.all(["fix-1", "fix-2", "fix-3"].map((name) => world.prompt(name)));
  await running(first?.metadata.uid);
  await world.reportCost("fix-1", "0.10");
  await world.settlePrompt("fix-1", true, "Completed");
  expect((await running(second?.metadata.uid)).status?.costUsd).toBe("0.1");

  const before = operator.writes.length;
  await world.reportCost("fix-2", "0.20");
  await world.settlePrompt("fix-2", true, "Completed");
  const held = await world.untilSession("fix", "held", ({ costUsd }) => costUsd === "0.3");
  expect(held.status?.conditions).toContainEqual(
    expect.objectContaining({
      type: "Ready",
      status: "False",
      reason: "CostLimitReached",
      message: expect.stringContaining("has cost 0.3 USD and its maxSessionCostUsd is 0.30") as string,
    }),
  );
  expect(held.status?.currentPrompt).toBeUndefined();

  await client.patch(Session, { namespace, name: "fix" }, { spec: { settings: { maxSessionCostUsd: "0.300001" } } });
  await running(third?.metadata.uid);
  expect(operator.writes.slice(before)).toEqual(["patch Session/status", "patch Session/status"]);
});

it("a pod is placed as its class says and has the class's volumes and variables, under the restricted profile", async () => {
  const { client, namespace } = world;
  await world.labelNamespace({ "pod-security.kubernetes.io/enforce": "restricted" });
  await client.create(priorityClasses, { metadata: { name: namespace }, value: 7 });
  await client.create(runtimeClasses, { metadata: { name: namespace }, handler: "gvisor" });
  const terms = [{ matchExpressions: [{ key: "kubernetes.io/arch", operator: "In", values: ["amd64"] }] }];
  const affinity = {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
  };
  const spread = { maxSkew: 1, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway" };
  const tolerations = [{ key: "pool", operator: "Equal", value: "sandboxes", effect: "NoSchedule" }];
  const spec = {
    runtimeClassName: namespace,
    priorityClassName: namespace,
    nodeSelector: { pool: "sandboxes" },
    tolerations,
    affinity,
    topologySpreadConstraints: [spread],
    env: [{ name: "HTTPS_PROXY", value: "http://proxy.example.com:3128" }],
    volumes: [
      { name: "scratch", mountPath: "/scratch", emptyDir: { sizeLimit: "1Gi" } },
      { name: "npmrc", mountPath: "/etc/npm", configMap: { name: "npmrc" } },
      { name: "cache", mountPath: "/home/agent/.cache", persistentVolumeClaim: { claimName: "cache" } },
      { name: "build", mountPath: "/build", ephemeral: { storageClassName: "fast", size: "20Gi" } },
      { name: "tools", mountPath: "/opt/tools", access: "ReadOnly", image: { reference: "tools:1" } },
    ],
  };
  await client.patch(SandboxClass, { name: namespace }, { spec });
  await world.startOperator();
  await world.createSession("fix", { idleTimeoutSeconds: 600 });
  const pod = await world.untilPod(1);

  const labelled = { [labels.component]: "sandbox", [labels.sandboxClass]: namespace };
  expect(pod.spec).toMatchObject({
    runtimeClassName: namespace,
    priority: 7,
    nodeSelector: { pool: "sandboxes" },
    tolerations: expect.arrayContaining(tolerations) as object[],
    affinity,
    topologySpreadConstraints: [{ ...spread, labelSelector: { matchLabels: labelled } }],
  });
  const names = spec.volumes.map(({ name }) => name);
  const added = pod.spec?.volumes?.filter(({ name }) => names.includes(name)) ?? [];
  expect(added).toMatchObject([
    { emptyDir: { sizeLimit: "1Gi" } },
    { configMap: { name: "npmrc" } },
    { persistentVolumeClaim: { claimName: "cache" } },
    { ephemeral: { volumeClaimTemplate: { spec: { storageClassName: "fast" } } } },
    { image: { reference: "tools:1" } },
  ]);
  const [runtime, agent] = pod.spec?.containers ?? [];
  expect(runtime?.volumeMounts?.filter(({ name }) => names.includes(name))).toEqual([]);
  expect(runtime?.env?.map(({ name }) => name)).not.toContain("HTTPS_PROXY");
  expect(agent?.env).toContainEqual({ name: "HTTPS_PROXY", value: "http://proxy.example.com:3128" });
  expect(agent?.volumeMounts?.filter(({ name }) => names.includes(name))).toEqual(
    spec.volumes.map(({ name, mountPath, access }) => ({
      name,
      mountPath,
      ...(access ? { readOnly: true } : {}),
    })),
  );
});
