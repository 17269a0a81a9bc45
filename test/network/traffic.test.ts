import { randomBytes } from "node:crypto";
import { join } from "node:path";

import { afterAll, beforeAll, expect, inject, it } from "vitest";

import { apiVersion, labels } from "../../src/api/v1alpha1/index.ts";
import { type Pod, pods, services } from "../../src/kube/core-resources.ts";
import { Attacker } from "../e2e/support/attacker.ts";
import { release } from "../e2e/support/install.ts";
import { samplePayload } from "../e2e/support/payload.ts";
import { succeeded } from "../e2e/support/stages.ts";
import { makeTenant, openStage, type Stage } from "../e2e/support/tenant.ts";
import { accountName } from "../e2e/support/tenant-objects.ts";
import { apply } from "../e2e/support/workbench.ts";
import { until } from "../support/kube.ts";
import { PlainPods, probe } from "./support/plain-pods.ts";
import { outside } from "./support/world.ts";

interface Target {
  by: "tcp" | "dns";
  address: string;
  port: number;
}

const classes = {
  closed: { egress: { internet: false } },
  open: { egress: { internet: true } },
  inHouse: { egress: { internet: false, allow: [{ cidr: `${outside.privateA}/32`, ports: [443] }] } },
  noDns: { egress: { internet: false, dns: false } },
};
type ClassName = keyof typeof classes;

/** Who gets through to what. `plain` is a pod of a namespace that has nothing to do with us. */
const table: Record<string, Record<ClassName | "plain", boolean>> = {
  "cluster DNS": { closed: true, open: true, inHouse: true, noDns: false, plain: true },
  "another port of cluster DNS": { closed: false, open: false, inHouse: false, noDns: false, plain: true },
  "the gateway's port for sandboxes": { closed: true, open: true, inHouse: true, noDns: true, plain: false },
  "the gateway's port for people": { closed: false, open: false, inHouse: false, noDns: false, plain: true },
  "the gateway's metrics": { closed: false, open: false, inHouse: false, noDns: false, plain: false },
  "the ingress": { closed: false, open: false, inHouse: false, noDns: false, plain: true },
  "the controller's metrics": { closed: false, open: false, inHouse: false, noDns: false, plain: false },
  "a sandbox of its namespace": { closed: false, open: false, inHouse: false, noDns: false, plain: false },
  "another pod of its namespace": { closed: false, open: false, inHouse: false, noDns: false, plain: true },
  "another tenant's pod": { closed: false, open: false, inHouse: false, noDns: false, plain: true },
  "the kubelet": { closed: false, open: false, inHouse: false, noDns: false, plain: true },
  "the API server": { closed: false, open: false, inHouse: false, noDns: false, plain: true },
  "the API server's Service": { closed: false, open: false, inHouse: false, noDns: false, plain: true },
  "a cloud's metadata": { closed: false, open: false, inHouse: false, noDns: false, plain: true },
  "a git server in the house": { closed: false, open: false, inHouse: true, noDns: false, plain: true },
  "another port of that git server": { closed: false, open: false, inHouse: false, noDns: false, plain: true },
  "172.16.0.0/12": { closed: false, open: false, inHouse: false, noDns: false, plain: true },
  "192.168.0.0/16": { closed: false, open: false, inHouse: false, noDns: false, plain: true },
  "100.64.0.0/10": { closed: false, open: false, inHouse: false, noDns: false, plain: true },
  "the internet": { closed: false, open: true, inHouse: false, noDns: false, plain: true },
};

const suffix = randomBytes(4).toString("hex");
const tenant = `net-${suffix}`;
const neighbour = `net-other-${suffix}`;
const classNamed = (name: ClassName | "routed"): string => `net-${suffix}-${name.toLowerCase()}`;

let stage: Stage;
let plain: PlainPods;
let targets: Record<string, Target>;
const attackers = new Map<string, Attacker>();

beforeAll(async () => {
  stage = await openStage("network");
  const { bench } = stage;
  plain = new PlainPods(bench, inject("release").sandbox.name);
  await apply(bench, objects());
  const sessions = Object.keys(classes).map(async (name) => {
    const attacker = new Attacker(bench, tenant, name.toLowerCase());
    await attacker.create({ sandboxClassName: classNamed(name as ClassName) });
    attackers.set(name, attacker);
    await attacker.sandbox();
  });
  const [other, beside, sandbox] = await Promise.all([
    plain.serve(neighbour, "shop"),
    plain.serve(tenant, "shop"),
    plain.serve(tenant, "sandbox", sandboxLabels("closed")),
    ...sessions,
  ]);
  targets = await targetsOf({ other, beside, sandbox });
});

afterAll(() => stage.close());

function sandboxLabels(name: ClassName): Record<string, string> {
  return { [labels.component]: "sandbox", [labels.sandboxClass]: classNamed(name) };
}

function objects(): object[] {
  const apiGroup = "rbac.authorization.k8s.io";
  const resourceNames = [...Object.keys(classes), "routed"].map((name) => classNamed(name as ClassName));
  const metadata = { name: accountName, namespace: tenant };
  const rules = [{ apiGroups: ["runwright.dev"], resources: ["sandboxclasses"], resourceNames, verbs: ["use"] }];
  return [
    ...[tenant, neighbour].map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })),
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    { apiVersion: `${apiGroup}/v1`, kind: "Role", metadata, rules },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup, kind: "Role", name: accountName },
      subjects: [{ kind: "ServiceAccount", ...metadata }],
    },
    ...Object.entries(classes).map(([name, spec]) => ({
      apiVersion,
      kind: "SandboxClass",
      metadata: { name: classNamed(name as ClassName) },
      spec: { resources: { requests: { cpu: "20m", memory: "64Mi" } }, ...spec },
    })),
  ];
}

async function targetsOf(of: { other: string; beside: string; sandbox: string }): Promise<Record<string, Target>> {
  const { client } = stage.bench;
  const [gateway, ingress, controller] = await Promise.all(["gateway", "ingress", "controller"].map(addressOf));
  const dns = await client.get(services, { namespace: "kube-system", name: "kube-dns" });
  const dnsPods = await client.list(pods, { namespace: "kube-system", labelSelector: "k8s-app=kube-dns" });
  const apiServer = new URL(inject("testCluster").server);
  const node = "10.244.0.1";
  const tcp = (address = "", port = 0): Target => ({ by: "tcp", address, port });
  return {
    "cluster DNS": { by: "dns", address: dns.spec?.clusterIP ?? "", port: 53 },
    "another port of cluster DNS": tcp(dnsPods.items[0]?.status?.podIP, 8181),
    "the gateway's port for sandboxes": tcp(gateway, 8443),
    "the gateway's port for people": tcp(gateway, 8444),
    "the gateway's metrics": tcp(gateway, 9090),
    "the ingress": tcp(ingress, 8080),
    "the controller's metrics": tcp(controller, 9090),
    "a sandbox of its namespace": tcp(of.sandbox, 3000),
    "another pod of its namespace": tcp(of.beside, 3000),
    "another tenant's pod": tcp(of.other, 3000),
    "the kubelet": tcp(node, 10_250),
    "the API server": tcp(node, Number(apiServer.port)),
    "the API server's Service": tcp("10.96.0.1", 443),
    "a cloud's metadata": tcp(outside.metadata, 80),
    "a git server in the house": tcp(outside.privateA, 443),
    "another port of that git server": tcp(outside.privateA, 80),
    "172.16.0.0/12": tcp(outside.privateB, 443),
    "192.168.0.0/16": tcp(outside.privateC, 443),
    "100.64.0.0/10": tcp(outside.shared, 443),
    "the internet": tcp(outside.internet, 443),
  };
}

/** A pod of one of our processes. */
async function addressOf(component: string): Promise<string | undefined> {
  const { namespace, name } = release;
  const labelSelector = `app.kubernetes.io/instance=${name},app.kubernetes.io/component=${component}`;
  const { items } = await stage.bench.client.list<Pod>(pods, { namespace, labelSelector });
  return items[0]?.status?.podIP;
}

/** What of a table of outcomes says that a connection came about. */
function whatIsOpen(outcomes: object): Record<string, boolean> {
  return Object.fromEntries(Object.entries(outcomes).map(([name, outcome]) => [name, outcome === "open"]));
}

function column(who: ClassName | "plain"): Record<string, boolean> {
  return Object.fromEntries(Object.entries(table).map(([name, row]) => [name, row[who]]));
}

it.each(Object.keys(classes) as ClassName[])(
  "a sandbox of the class %s reaches what the class allows",
  async (name) => {
    const prompt = await attackers.get(name)!.runFile(probe, { targets });
    expect(succeeded(prompt)).toMatchObject({ status: "True" });
    const outcomes = JSON.parse(prompt.status?.result?.summary ?? "{}") as Record<string, string>;
    expect(whatIsOpen(outcomes)).toEqual(column(name));
    expect(Object.values(outcomes)).not.toContain("ECONNREFUSED");
  },
);

it("a pod beside it reaches all that is there, but for what is ours alone", async () => {
  const outcomes = await plain.probe(neighbour, "pod/shop", targets);
  expect(whatIsOpen(outcomes as object)).toEqual(column("plain"));
});

it("a pod that is refused gets no packet through from its first instant on", async () => {
  const address = targets["another tenant's pod"]!.address;
  const names = Array.from({ length: 8 }, (_, index) => `early-${index}`);
  const given = { address, forMs: 4_000, labels: sandboxLabels("closed") };
  await Promise.all(names.map((name) => plain.connectAtOnce(tenant, name, given)));
  await plain.connectAtOnce(neighbour, "early", { ...given, labels: {} });
  expect(await plain.outputOf(neighbour, "early")).toMatch(/^through: [1-9]/);
  const outputs = await Promise.all(names.map((name) => plain.outputOf(tenant, name)));
  expect(outputs).toEqual(names.map(() => "through: 0\n"));
});

it.each(["controller", "ingress", "gateway"])("the %s reaches the API server, and no tenant", async (component) => {
  const { "the API server's Service": server, "another tenant's pod": other, "a cloud's metadata": metadata } = targets;
  const deployment = `deployment/${release.name}-${component}`;
  const outcomes = await plain.probe(release.namespace, deployment, { server, other, metadata });
  expect(outcomes).toEqual({ server: "open", other: "dropped", metadata: "dropped" });
});

it("a port that a class opens is reached from its ingress controller's namespace alone", async () => {
  const [port, session] = [3000, "tunnels"];
  const controllerNamespace = neighbour;
  await apply(stage.bench, [
    {
      apiVersion,
      kind: "SandboxClass",
      metadata: { name: classNamed("routed") },
      spec: {
        egress: { internet: false },
        tunnelRoute: { domain: "previews.example.com", controllerNamespace, ingress: { className: "nginx" } },
      },
    },
  ]);
  const attacker = new Attacker(stage.bench, tenant, session);
  await attacker.create({ sandboxClassName: classNamed("routed"), settings: { tunnelPorts: [port] } });
  const { sandbox } = await attacker.sandbox();
  const pod = await stage.bench.client.get(pods, { namespace: tenant, name: sandbox.podName });
  const target = { port: { by: "tcp", address: pod.status?.podIP ?? "", port } };
  const serving = attacker.runFile(join(import.meta.dirname, "programs", "serve.mjs"), { port, forMs: 10_000 });
  await until("the port is open", async () => {
    const seen = await plain.probe(neighbour, "pod/shop", target);
    return JSON.stringify(seen) === JSON.stringify({ port: "open" });
  });
  expect(await plain.probe(tenant, "pod/shop", target)).toEqual({ port: "dropped" });
  expect(await plain.probe(release.namespace, `deployment/${release.name}-gateway`, target)).toEqual({
    port: "dropped",
  });
  expect(succeeded(await serving)).toMatchObject({ status: "True" });
});

it("a delivery's Run works with a git server in the cluster, which takes a policy of the tenant's own", async () => {
  const sender = await makeTenant(stage);
  await apply(stage.bench, [allowGit(sender.namespace)]);
  const { run } = await sender.watcher.follow(await sender.start("a delivery", (await samplePayload()).body));
  expect(succeeded(run)).toMatchObject({ status: "True" });
  await sender.close();
});

/** The policy of `docs/repositories.md`: Cilium takes a CIDR of a class for addresses outside of the cluster alone. */
function allowGit(namespace: string): object {
  const of = (matchLabels: Record<string, string>): object => ({ matchLabels });
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: { name: "sandboxes-to-git", namespace },
    spec: {
      podSelector: of({ [labels.component]: "sandbox" }),
      policyTypes: ["Egress"],
      egress: [{ to: [{ namespaceSelector: of({ "kubernetes.io/metadata.name": stage.git.namespace }) }] }],
    },
  };
}
