import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { labels, SandboxClass, Session } from "../../../src/api/v1alpha1/index.ts";
import {
  endpointSlices,
  type NetworkPolicy,
  networkPolicies,
  nodes,
  pods,
  serviceAccounts,
} from "../../../src/kube/core-resources.ts";
import { FakeClock } from "../../../src/lib/fake-clock.ts";
import { jsonEqual } from "../../../src/lib/json-equal.ts";
import type { KubeObject } from "../../../src/lib/resource.ts";
import { releaseLabel } from "../../../src/controllers/sandbox/labels.ts";
import { roleBindings, roles } from "../../../src/controllers/sandbox/tenant/service-account.ts";
import { ClusterNetwork } from "../../../src/controllers/sandbox/network/cluster-network.ts";
import { TenantNamespaces } from "../../../src/controllers/sandbox/tenant/tenant-namespaces.ts";
import { testCluster } from "../../support/cluster.ts";
import { startTenantControllers, type TenantControllers } from "./tenant-controllers.ts";
import { conditionOf, World } from "./world.ts";
import { privateNetwork } from "../../support/private-network.ts";

let world: World;
let controllers: TenantControllers;
let networkClock: FakeClock;
let network: ClusterNetwork;

beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  const { clock, namespace, release, operatorClient: client } = world;
  networkClock = new FakeClock();
  network = new ClusterNetwork({ client, clock: networkClock, configured: [] });
  const namespaces = new TenantNamespaces({ client, clock, release, gatewayPort: 8443, network });
  controllers = await startTenantControllers(world, namespaces, network);
  await world.createSession("fix");
  await namespaces.ensurePolicies(namespace, await client.get(SandboxClass, { name: namespace }));
  await atRest();
});
afterEach(async () => {
  network.stop();
  await controllers.stop();
  await world.close();
});

/** While time stands still. */
function atRest(): Promise<void> {
  return world.rest(controllers, 0);
}

function policy(name: string): Promise<NetworkPolicy | undefined> {
  return world.client.find(networkPolicies, { namespace: world.namespace, name });
}

it("leaves a policy for all sandboxes and one for the class as they are", async () => {
  expect(await policy("runwright-sandbox")).toBeDefined();
  expect(await policy(`runwright-sandbox-${world.namespace}`)).toBeDefined();
  expect(controllers.writes).toEqual([]);
});

it("puts back a policy that is deleted", async () => {
  await world.client.delete(networkPolicies, { namespace: world.namespace, name: "runwright-sandbox" });
  await world.until("it is back", async () => (await policy("runwright-sandbox")) !== undefined);
});

it("puts back what another client opens, and nothing of what is not its own", async () => {
  const key = { namespace: world.namespace, name: "runwright-sandbox" };
  const before = await world.client.get(networkPolicies, key);
  await world.client.patch(networkPolicies, key, { metadata: { labels: { theirs: "1" } }, spec: { egress: [{}] } });
  await world.until("it is put back", async () => jsonEqual((await policy(key.name))?.spec, before.spec));
  const after = await world.client.get(networkPolicies, key);
  expect(after.spec).toEqual(before.spec);
  expect(after.metadata.labels).toMatchObject({ theirs: "1" });
});

it("follows a class that changes", async () => {
  const egress = { internet: false, dns: false, allow: [{ cidr: "10.1.0.0/16", ports: [443] }] };
  await world.client.patch(SandboxClass, { name: world.namespace }, { spec: { egress } });
  const name = `runwright-sandbox-${world.namespace}`;
  const wanted = [{ to: [{ ipBlock: { cidr: "10.1.0.0/16" } }], ports: [{ protocol: "TCP", port: 443 }] }];
  await world.until("the policy follows", async () => jsonEqual((await policy(name))?.spec?.egress, wanted));
});

it("takes public addresses of a Node and of the API server out of the internet, within a minute, until they are gone", async () => {
  const node = { metadata: { name: world.namespace }, spec: { podCIDRs: ["2a00:1450:7::/64"] } };
  const status = { addresses: [{ type: "ExternalIP", address: "198.41.77.7" }] };
  const excepted = async (): Promise<string[]> => {
    const { spec } = (await policy(`runwright-sandbox-${world.namespace}`))!;
    const to = (spec?.egress ?? []).flatMap((rule) => rule.to ?? []);
    const all = to.flatMap(({ ipBlock }) => ipBlock?.except ?? []);
    return all.filter((range) => range.startsWith("198.41.77.") || range === "2a00:1450:7::/64");
  };
  await network.start();
  // The API servers of tests have none: no controller of Services runs.
  expect(network.known.problem).toContain("EndpointSlice default/kubernetes cannot be read");
  await world.client.create(nodes, node);
  const slice = { metadata: { name: "kubernetes", namespace: "default" } };
  const endpoints = [{ addresses: ["198.41.77.8"] }];
  await world.client.create(endpointSlices, { ...slice, addressType: "IPv4", endpoints, ports: [] });
  try {
    await world.client.patch(nodes, node.metadata, { status }, { subresource: "status" });
    networkClock.advance(59_999);
    await atRest();
    expect(await excepted()).toEqual([]);
    networkClock.advance(1);
    await world.until("they are out", async () => (await excepted()).length === 3);
    expect(network.known.problem).toBeUndefined();
  } finally {
    await world.client.delete(nodes, node.metadata);
    await world.client.delete(endpointSlices, slice.metadata);
  }
  networkClock.advance(60_000);
  await world.until("the Node's are back", async () => (await excepted()).length === 1);
});

it("is warned of on the session when another's policy selects its sandbox, by no write that says nothing else", async () => {
  const { client, namespace } = world;
  const spec = { podSelector: {}, policyTypes: ["Egress"], egress: [{}] };
  await client.create(networkPolicies, { metadata: { name: "open", namespace }, spec });
  const operator = await world.startOperator();
  const { metadata } = await world.createRun("warned-run");
  const session = await world.createSession("warned", {}, metadata);
  await world.createPrompt(session, 1);
  await world.bringUp(session);
  const shown = await world.untilSession("warned", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
  expect(conditionOf(shown, "ForeignNetworkPolicy")).toMatchObject({
    status: "True",
    reason: "ForeignNetworkPolicy",
    message: "the sandbox is also selected by NetworkPolicy open",
  });
  const written = operator.storedSessions.filter(({ metadata }) => metadata.name === "warned");
  const otherwise = [session, ...written].map(({ status }) => JSON.stringify(withoutWarning(status)));
  expect(otherwise.filter((said, at) => said === otherwise[at - 1])).toEqual([]);
});

function withoutWarning({ conditions = [], ...rest }: NonNullable<Session["status"]> = {}): object {
  return { ...rest, conditions: conditions.filter(({ type }) => type !== "ForeignNetworkPolicy") };
}

describe("what nothing needs any more", () => {
  const minutes = 60_000;

  /** Names of all that the operator made in the namespace. */
  async function made(): Promise<string[]> {
    const { client, namespace } = world;
    const found = await Promise.all([
      client.list<KubeObject>(networkPolicies, { namespace }),
      client.list<KubeObject>(serviceAccounts, { namespace }),
      client.list<KubeObject>(roles, { namespace }),
      client.list<KubeObject>(roleBindings, { namespace }),
    ]);
    return found.flatMap(({ items }) => items.map(({ metadata }) => metadata.name ?? "")).filter(isOurs);
  }

  function isOurs(name: string): boolean {
    return name.startsWith("runwright-sandbox");
  }

  it("goes with the last session of the namespace, 5 minutes after it was made and not before", async () => {
    const { client, clock, namespace, release, operatorClient } = world;
    const namespaces = new TenantNamespaces({
      client: operatorClient,
      clock,
      release,
      gatewayPort: 8443,
      network: privateNetwork,
    });
    await namespaces.ensureAccount(namespace, undefined);
    expect(await made()).toHaveLength(5);
    await client.delete(Session, { namespace, name: "fix" });
    await atRest();
    expect(await made()).toHaveLength(5);
    clock.advance(10 * minutes);
    await world.until("nothing is left", async () => (await made()).length === 0);
  });

  it("stays while a session is there", async () => {
    world.clock.advance(10 * minutes);
    await world.createSession("another");
    await world.client.delete(Session, { namespace: world.namespace, name: "fix" });
    await atRest();
    world.clock.advance(10 * minutes);
    await atRest();
    expect(await made()).toHaveLength(2);
    expect(controllers.writes).toEqual([]);
  });

  it("stays while a sandbox pod is there, until that has gone too", async () => {
    const { client, clock, namespace } = world;
    const name = "left-behind";
    const labelled = { [labels.component]: "sandbox", [labels.release]: releaseLabel(world.release) };
    const spec = { serviceAccountName: "runner", containers: [{ name: "agent", image: "sandbox:1" }] };
    await client.create(pods, { metadata: { name, namespace, labels: labelled }, spec });
    await client.delete(Session, { namespace, name: "fix" });
    await atRest();
    clock.advance(20 * minutes);
    await atRest();
    expect(await made()).toHaveLength(2);
    await client.delete(pods, { namespace, name });
    await world.until("nothing is left", async () => (await made()).length === 0, minutes);
  });
});
