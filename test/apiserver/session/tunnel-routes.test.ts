import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { foreignDefinitions } from "../../../hack/toolchain/foreign-definitions.ts";
import { SandboxClass, type Session } from "../../../src/api/v1alpha1/index.ts";
import type { TunnelRoute } from "../../../src/api/v1alpha1/tunnel-route.ts";
import { ingresses, networkPolicies, services } from "../../../src/kube/core-resources.ts";
import { httpRoutes, tunnelHost } from "../../../src/controllers/sandbox/network/tunnel-objects.ts";
import { testApi, testCluster } from "../../support/cluster.ts";
import { type Definition, installDefinitions } from "../../support/control-plane.setup.ts";
import { parseManifests } from "../../support/manifests.ts";
import { conditionOf, World } from "./world.ts";

// Go downloads the definitions the first time.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const domain = "tunnels.example.com";
const byGateway = { httpRoute: { parentRefs: [{ name: "public", namespace: "gateways", sectionName: "https" }] } };

let world: World;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  await world.startOperator();
});
afterEach(() => world.close());

async function aSession(route: Partial<TunnelRoute>): Promise<Session> {
  const tunnelRoute = { domain, controllerNamespace: "gateways", ...route };
  await world.client.patch(SandboxClass, { name: world.namespace }, { spec: { tunnelRoute } });
  const session = await world.createSession("open", { settings: { tunnelPorts: [3000, 8080] } });
  await world.createPrompt(session, 1);
  return session;
}

const started = (): Promise<Session> =>
  world.untilSession("open", "with a sandbox", (one) => one.sandbox !== undefined, 500);

function hostsOf({ metadata: { name = "", uid = "" } }: Session): string[] {
  return [3000, 8080].map((port) => tunnelHost({ name, uid }, port, { domain }));
}

// Before another test installs the kind: the control plane is the file's neighbours' too, and none of them has it.
it("fails the prompt and keeps no pod where the cluster lacks the class's kind of route", async () => {
  await aSession(byGateway);
  await world.until(
    "the prompt failed",
    async () => conditionOf(await world.prompt("open-1"), "Succeeded") !== undefined,
  );
  expect(conditionOf(await world.prompt("open-1"), "Succeeded")).toMatchObject({
    status: "False",
    reason: "PodRejected",
    message: "the cluster has no HTTPRoute (gateway.networking.k8s.io/v1), which tunnelRoute asks for",
  });
  await world.until("its pod is gone", async () => (await world.pods()).length === 0);
});

it("opens exactly the ports to the named namespace, by routes that go with the pod", async () => {
  const definitions = await Promise.all((await foreignDefinitions()).map((path) => readFile(path, "utf8")));
  const routes = (definitions.flatMap(parseManifests) as Definition[]).filter(
    ({ spec }) => spec.group === httpRoutes.group,
  );
  await installDefinitions(testApi(), routes);
  const session = await aSession({ ...byGateway, annotations: { "example.com/log-in": "yes" } });
  const { status } = await started();
  const hosts = hostsOf(session);
  expect(status?.sandbox?.tunnels).toEqual([
    { port: 3000, url: `https://${hosts[0]}/` },
    { port: 8080, url: `https://${hosts[1]}/` },
  ]);

  const { client, namespace } = world;
  const name = `tunnel-${status?.sandbox?.podName}`;
  const policy = await client.get(networkPolicies, { namespace, name });
  expect(policy.spec).toEqual({
    podSelector: {
      matchLabels: { "runwright.dev/session-uid": session.metadata.uid, "runwright.dev/attempt": "1" },
    },
    policyTypes: ["Ingress"],
    ingress: [
      {
        from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "gateways" } } }],
        ports: [3000, 8080].map((port) => ({ protocol: "TCP", port })),
      },
    ],
  });
  const service = await client.get(services, { namespace, name });
  expect(service.spec?.selector).toEqual(policy.spec?.podSelector?.matchLabels);
  expect(service.spec?.ports?.map(({ port }) => port)).toEqual([3000, 8080]);
  const { items } = await client.list(httpRoutes, { namespace });
  expect(items.flatMap(({ spec }) => spec.hostnames).sort()).toEqual(hosts);
  expect(items[0]).toMatchObject({
    metadata: { annotations: { "example.com/log-in": "yes" } },
    spec: { parentRefs: byGateway.httpRoute.parentRefs, rules: [{ backendRefs: [{ name }] }] },
  });
  for (const { metadata } of [policy, service, ...items]) {
    expect(metadata.ownerReferences).toMatchObject([{ kind: "Pod", uid: status?.sandbox?.podUID }]);
  }
  expect(conditionOf(await world.session("open"), "ForeignNetworkPolicy")).toBeUndefined();
});

it("opens them to an Ingress, and nothing in the cluster's network besides", async () => {
  const session = await aSession({ ingress: { className: "nginx" }, scheme: "https" });
  const { status } = await started();
  const { client, namespace } = world;
  const ingress = await client.get(ingresses, { namespace, name: `tunnel-${status?.sandbox?.podName}` });
  expect(ingress.spec?.ingressClassName).toBe("nginx");
  expect(ingress.spec?.tls).toEqual([{ hosts: hostsOf(session) }]);
  expect(ingress.spec?.rules?.map(({ host }) => host)).toEqual(hostsOf(session));
});

it("leaves a stranger's object alone", async () => {
  const { client, namespace } = world;
  const session = await aSession({ ingress: { className: "nginx" } });
  const { status } = await started();
  const name = `tunnel-${status?.sandbox?.podName}`;
  const next = name.replace(/-1$/, "-2");
  await client.create(services, { metadata: { namespace, name: next }, spec: { ports: [{ port: 1 }] } });
  await world.createPrompt(session, 2);
  await world.reportPod(status?.sandbox?.podName ?? "", { phase: "Failed", reason: "Evicted" });
  await world.until(
    "a prompt failed",
    async () => conditionOf(await world.prompt("open-1"), "Succeeded") !== undefined,
  );
  expect(conditionOf(await world.prompt("open-1"), "Succeeded")).toMatchObject({
    message: `Service ${namespace}/${next} exists and is not the sandbox's`,
  });
});
