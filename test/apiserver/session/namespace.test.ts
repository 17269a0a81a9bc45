import { afterEach, beforeEach, expect, it } from "vitest";
import { SandboxClass } from "../../../src/api/v1alpha1/index.ts";
import { namespaceController, namespaceInformers } from "../../../src/controllers/namespace/controller.ts";
import { kindInformers } from "../../../src/controllers/shared/kind-informers.ts";
import { type NetworkPolicy, networkPolicies } from "../../../src/kube/core-resources.ts";
import type { Informer } from "../../../src/kube/informer.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { jsonEqual } from "../../../src/lib/json-equal.ts";
import type { KubeObject } from "../../../src/lib/resource.ts";
import { TenantNamespaces } from "../../../src/sandbox/tenant-namespaces.ts";
import { testCluster } from "../../support/cluster.ts";
import { until } from "../../support/kube.ts";
import { World } from "./world.ts";

let world: World;
let writes: string[];
let stop: () => Promise<void>;

beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  writes = [];
  const { namespace, release, operatorClient } = world;
  const client = operatorClient.withHooks({
    afterRequest: ({ verb, resource }) => {
      if (["create", "update", "patch", "delete"].includes(verb)) writes.push(`${verb} ${resource.kind}`);
    },
  });
  const deps = { client, clock: systemClock };
  const kinds = kindInformers(deps, { namespace });
  const informers = {
    ...namespaceInformers(deps, release),
    sessions: kinds.sessions,
    sandboxClasses: kinds.sandboxClasses,
  };
  const namespaces = new TenantNamespaces({ ...deps, release, gatewayPort: 8443 });
  const controller = namespaceController({ ...deps, informers, namespaces });
  const followed = Object.values(informers) as Informer<KubeObject>[];
  for (const informer of followed) informer.start();
  await controller.start();
  stop = async () => {
    await controller.stop(0);
    await Promise.all(followed.map((informer) => informer.stop()));
  };
  await world.createSession("fix");
  await until("the session is seen", () => kinds.sessions.size === 1);
  await namespaces.ensurePolicies(namespace, await client.get(SandboxClass, { name: namespace }));
});
afterEach(async () => {
  await stop();
  await world.close();
});

function policy(name: string): Promise<NetworkPolicy | undefined> {
  return world.client.find(networkPolicies, { namespace: world.namespace, name });
}

it("makes a policy for all sandboxes and one for the class, once", async () => {
  expect(await policy("runwright-sandbox")).toBeDefined();
  expect(await policy(`runwright-sandbox-${world.namespace}`)).toBeDefined();
  expect(writes).toEqual(["create NetworkPolicy", "create NetworkPolicy"]);
});

it("puts back a policy that somebody deletes", async () => {
  await world.client.delete(networkPolicies, { namespace: world.namespace, name: "runwright-sandbox" });
  await until("it is back", async () => (await policy("runwright-sandbox")) !== undefined);
  expect(writes).toHaveLength(3);
});

it("puts back what somebody opens, and nothing of what is not its own", async () => {
  const key = { namespace: world.namespace, name: "runwright-sandbox" };
  const before = await world.client.get(networkPolicies, key);
  await world.client.patch(networkPolicies, key, { metadata: { labels: { theirs: "1" } }, spec: { egress: [{}] } });
  await until("it is put back", async () => (await policy(key.name))?.spec?.egress?.length === 2);
  const after = await world.client.get(networkPolicies, key);
  expect(after.spec).toEqual(before.spec);
  expect(after.metadata.labels).toMatchObject({ theirs: "1" });
});

it("follows a class that changes", async () => {
  const egress = { internet: false, allow: [{ cidr: "10.1.0.0/16", ports: [443] }] };
  await world.client.patch(SandboxClass, { name: world.namespace }, { spec: { egress } });
  const name = `runwright-sandbox-${world.namespace}`;
  const wanted = [{ to: [{ ipBlock: { cidr: "10.1.0.0/16" } }], ports: [{ protocol: "TCP", port: 443 }] }];
  await until("the policy follows", async () => jsonEqual((await policy(name))?.spec?.egress, wanted));
});
