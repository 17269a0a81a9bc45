import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../../../src/api/v1alpha1/index.ts";
import { Environment, Repository, SandboxClass } from "../../../src/api/v1alpha1/index.ts";
import { networkPolicies } from "../../../src/kube/core-resources.ts";
import type { KubeObject, Resource } from "../../../src/lib/resource.ts";
import { collectingPlane } from "../../support/collecting-plane.ts";
import { startTenantControllers, type TenantControllers } from "./tenant-controllers.ts";
import { conditionOf, type Operator, World } from "./world.ts";

// Foreground deletion is the garbage collector's.
const plane = collectingPlane();
let world: World;
let collectors: TenantControllers | undefined;
beforeEach(async () => {
  world = await World.make(plane.kubeconfig);
});
afterEach(async () => {
  await collectors?.stop();
  collectors = undefined;
  await world.close();
});

const ways = (["Foreground", "Background", "Orphan"] as const).flatMap((policy) =>
  (["running", "stopped"] as const).map((state) => ({ policy, state })),
);

/** A session over an Environment of one Repository, whose first prompt has ended. */
async function aSessionThatWorked(): Promise<{ operator: Operator; session: Session }> {
  const { client, namespace } = world;
  const metadata = { name: "shop", namespace };
  await client.create(Repository, { metadata, spec: { url: "https://git.example.com/shop.git" } } as Repository);
  await client.create(Environment, { metadata, spec: { repositoryRefs: [{ name: "shop" }] } });
  await world.allowRunner([{ resources: ["repositories", "environments"], verbs: ["get"] }]);
  const operator = await world.startOperator();
  collectors = await startTenantControllers(world, operator.namespaces);
  const session = await world.createSession("fix", { target: { environmentRef: { name: "shop" } } });
  await world.createPrompt(session, 1);
  await world.bringUp(session);
  await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
  await world.settlePrompt("fix-1", true, "Completed");
  await world.untilSession("fix", "stopped", ({ sandbox }) => sandbox?.endTime !== undefined);
  await world.until("the sandbox is gone", async () => (await world.pods()).length === 0);
  return { operator, session };
}

async function policyNames(): Promise<string[]> {
  const { items } = await world.client.list(networkPolicies, { namespace: world.namespace });
  return items.map(({ metadata }) => metadata.name ?? "");
}

describe.each<[string, Resource<KubeObject>, (namespace: string) => object, string]>([
  ["SandboxClass", SandboxClass, (namespace) => ({ name: namespace }), "SandboxClassNotFound"],
  ["Repository", Repository, (namespace) => ({ namespace, name: "shop" }), "RepositoryNotFound"],
  ["Environment", Environment, (namespace) => ({ namespace, name: "shop" }), "EnvironmentNotFound"],
])("a %s", (kind, resource, keyIn, reason) => {
  it.each(ways)("deleted $policy, the controllers $state, leaves nothing and starts nothing", async (way) => {
    const { operator: first, session } = await aSessionThatWorked();
    if (way.state === "stopped") {
      await collectors?.stop();
      await first.stop();
    }
    const key = keyIn(world.namespace) as { name: string };
    await world.client.delete(resource, key, { propagationPolicy: way.policy });
    await world.until("it is gone", async () => (await world.client.find(resource, key)) === undefined);
    const operator = way.state === "stopped" ? await world.startOperator() : first;
    if (way.state === "stopped") collectors = await startTenantControllers(world, operator.namespaces);
    operator.writes.splice(0);

    await world.createPrompt(session, 2);
    const verdict = async () => conditionOf(await world.prompt("fix-2"), "Succeeded");
    await world.until("a verdict", async () => (await verdict()) !== undefined);
    expect(await verdict()).toMatchObject({ status: "False", reason });
    const kept = kind === "SandboxClass" ? 1 : 2;
    await world.until("only what is needed is left", async () => (await policyNames()).length === kept, 10_000);
    await world.rest(operator, 60_000);
    expect(await policyNames()).toHaveLength(kept);
    expect(operator.writes).not.toContain("create Pod");
    expect(await world.bundles()).toEqual([]);
  });
});
