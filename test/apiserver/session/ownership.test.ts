import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Prompt, Run, Session } from "../../../src/api/v1alpha1/index.ts";
import { pods } from "../../../src/kube/core-resources.ts";
import { collectingPlane } from "../../support/collecting-plane.ts";
import type { KubeObject } from "../../../src/lib/resource.ts";
import { startTenantControllers, type TenantControllers } from "./tenant-controllers.ts";
import { type Operator, World } from "./world.ts";

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

const policies = ["Foreground", "Background", "Orphan"] as const;

/** A Run with a session that has a sandbox and a prompt under way. */
async function aRunUnderWay(): Promise<Session> {
  const { metadata } = await world.createRun("fix-run");
  const session = await world.createSession("fix", {}, metadata);
  await world.createPrompt(session, 1);
  await world.bringUp(session);
  await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
  return session;
}

async function left(): Promise<string[]> {
  const { namespace } = world;
  const found = [
    ...(await world.client.list(Session, { namespace })).items,
    ...(await world.client.list(Prompt, { namespace })).items,
    ...(await world.client.list(pods, { namespace })).items,
  ];
  const names = found.map(({ kind = "", metadata }) => `${kind} ${metadata.name ?? ""}`);
  const bundles = (await world.bundles()).map((name) => `Secret ${name}`);
  return [...names, ...bundles, ...(await world.leases()).map((name) => `Lease ${name}`)];
}

async function expectNothingLeft(operator: Operator): Promise<void> {
  collectors ??= await startTenantControllers(world, operator.namespaces);
  // Secrets of the private namespace are kept for 5 minutes after their creation.
  await world.until("nothing is left", async () => (await left()).length === 0, 10_000);
  await world.rest(operator, 60_000);
  expect(await left()).toEqual([]);
  expect(operator.writes).not.toContain("create Pod");
}

describe.each([
  ["Run", Run, "fix-run"],
  ["Session", Session, "fix"],
])("when a %s is deleted", (_kind, resource, name) => {
  it.each(policies)("with %s, the controller running, everything goes", async (propagationPolicy) => {
    const operator = await world.startOperator();
    await aRunUnderWay();
    operator.writes.splice(0);
    await world.client.delete(resource, { namespace: world.namespace, name }, { propagationPolicy });
    await expectNothingLeft(operator);
  });

  it.each(policies)("with %s, the controller stopped, everything goes when it is back", async (propagationPolicy) => {
    const first = await world.startOperator();
    await aRunUnderWay();
    await first.stop();
    const key = { namespace: world.namespace, name };
    await world.client.delete(resource, key, { propagationPolicy });
    await world.until("it is gone", async () => (await world.client.find<KubeObject>(resource, key)) === undefined);
    await expectNothingLeft(await world.startOperator());
  });
});

it("starts nothing for a session whose Run is being deleted", async () => {
  const operator = await world.startOperator();
  const { run, metadata } = await world.createRun("fix-run");
  await world.client.patch(
    Run,
    { namespace: world.namespace, name: "fix-run" },
    { metadata: { finalizers: ["test/hold"] } },
  );
  await world.client.delete(Run, { namespace: world.namespace, name: "fix-run" }, { uid: run.metadata.uid });
  const session = await world.createSession("fix", {}, metadata);
  await world.createPrompt(session, 1);
  await world.rest(operator, 10_000);
  expect(await world.pods()).toEqual([]);
  expect(await world.bundles()).toEqual([]);
  await world.client.patch(Run, { namespace: world.namespace, name: "fix-run" }, { metadata: { finalizers: null } });
});
