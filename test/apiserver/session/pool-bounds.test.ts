import { afterEach, beforeEach, expect, it } from "vitest";

import { pods, serviceAccounts } from "../../../src/kube/core-resources.ts";
import { testCluster } from "../../support/cluster.ts";
import { isLeft, isWarm, PoolKit, uidOf } from "./pool-kit.ts";
import { conditionOf, type Operator, World } from "./world.ts";

let world: World;
let kit: PoolKit;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  kit = new PoolKit(world);
  await kit.changeClass({ maxWarmSandboxes: 10 });
});
afterEach(() => world.close());

const pools = { hasPools: true };

function untilPool(reason: string): Promise<void> {
  return world.until(`the pool is ${reason}`, async () => conditionOf(await kit.get(), "Ready")?.reason === reason);
}

/** Tries to create a pod so far. */
const creations = ({ writes }: Operator): number => writes.filter((one) => one === "create Pod").length;

/** How much time passes until a pod is tried again, in milliseconds. */
async function untilTriedAgain(operator: Operator): Promise<number> {
  const [before, beganMs] = [creations(operator), world.clock.monotonicMs()];
  await world.until("it is tried again", () => creations(operator) > before);
  expect(creations(operator)).toBe(before + 1);
  return world.clock.monotonicMs() - beganMs;
}

it.each([
  { lacks: "its account", account: "elsewhere", reason: "ServiceAccountNotFound" },
  { lacks: "the right to use the class", account: "visitor", reason: "OwnerNotAllowed" },
])("has no sandboxes while it lacks $lacks, and says so", async ({ account, reason }) => {
  const { client, namespace } = world;
  await client.create(serviceAccounts, { metadata: { name: "visitor", namespace } });
  const operator = await world.startOperator({}, pools);
  await kit.create(2, { serviceAccountName: account });
  await untilPool(reason);
  expect(conditionOf(await kit.get(), "Stalled")).toMatchObject({ status: "True", reason });
  await world.rest(operator);
  operator.writes.length = 0;
  world.clock.advance(60_000);
  await world.rest(operator);
  expect(operator.writes).toEqual([]);
  expect(await world.pods()).toEqual([]);
  if (account === "elsewhere") await client.create(serviceAccounts, { metadata: { name: account, namespace } });
  await world.allowAccount(account, [{ resources: ["sandboxclasses"], verbs: ["use"], resourceNames: [namespace] }]);
  world.clock.advance(31_000);
  await kit.fill(2);
  expect(conditionOf(await kit.get(), "Stalled")).toBeUndefined();
});

it("says that its class is not there", async () => {
  await world.startOperator({}, pools);
  await kit.create(1, { sandboxClassName: "nowhere" });
  await untilPool("SandboxClassNotFound");
});

it("tries a sandbox that the API server refuses once in 30 s", async () => {
  await world.forbidPods();
  const operator = await world.startOperator({}, pools);
  await kit.create(3);
  await untilPool("PodRejected");
  await untilTriedAgain(operator);
  expect(await untilTriedAgain(operator)).toBeGreaterThanOrEqual(29_000);
});

it("creates none for 30 s after one has ended before a session took it", async () => {
  const operator = await world.startOperator({}, pools);
  await kit.create(1);
  const [warm] = await kit.fill(1);
  await world.reportPod(warm!.metadata.name!, { phase: "Failed", reason: "Evicted", message: "disk pressure" });
  await untilPool("SandboxLost");
  expect(conditionOf(await kit.get(), "Ready")?.message).toContain("disk pressure");
  expect(await untilTriedAgain(operator)).toBeGreaterThanOrEqual(25_000);
  await kit.fill(1);
});

it("creates the next at once after one that was deleted has ended", async () => {
  const operator = await world.startOperator({}, pools);
  await kit.create(1);
  const [warm] = await kit.fill(1);
  const { name = "", namespace } = warm!.metadata;
  await world.client.patch(pods, { namespace, name }, { metadata: { finalizers: ["example.com/hold"] } });
  await kit.scale(0);
  await world.until("it is being deleted", async () => !(await world.pods()).some(isLeft));
  await world.reportPod(name, { phase: "Succeeded" });
  await world.rest(operator);
  await world.client.patch(pods, { namespace, name }, { metadata: { finalizers: null } });
  await kit.scale(1);
  expect(await untilTriedAgain(operator)).toBeLessThan(25_000);
  expect(conditionOf(await kit.get(), "Stalled")).toBeUndefined();
});

it.each([
  { bound: { maxWarmSandboxes: 2 }, want: 2, says: "maxWarmSandboxes" },
  // One place is for child sessions.
  { bound: { maxSandboxes: 3 }, want: 2, says: "maxSandboxes" },
  { bound: { maxSandboxesPerNamespace: 1 }, want: 1, says: "maxSandboxesPerNamespace" },
])("keeps within $bound of its class", async ({ bound, want, says }) => {
  await kit.changeClass(bound);
  const operator = await world.startOperator({}, pools);
  await kit.create(4);
  await kit.fill(want);
  await world.rest(operator);
  expect(await world.pods()).toHaveLength(want);
  expect(conditionOf(await kit.get(), "Ready")).toMatchObject({ status: "False", reason: "PoolBounded" });
  expect(conditionOf(await kit.get(), "Ready")?.message).toContain(says);
});

it("creates no more than are wanted while its cache shows none of its pods", async () => {
  const operator = await world.startOperator({}, pools);
  await operator.losePodWatch();
  await kit.create(3);
  await world.until("there are three", async () => (await world.pods()).length === 3);
  await world.rest(operator);
  world.clock.advance(60_000);
  await world.rest(operator);
  expect(creations(operator)).toBe(3);
  const uids = (await kit.get()).status?.members?.map(({ podUID }) => podUID);
  expect(uids?.sort()).toEqual((await world.pods()).map(uidOf).sort());
});

it("gives a sandbox that waits to a session though the class is full, and has none more than the class allows", async () => {
  await kit.changeClass({ maxSandboxes: 3 });
  const operator = await world.startOperator({}, pools);
  await kit.create(2);
  const warm = await kit.fill(2);
  await kit.createSessions(2);
  for (const name of ["s-0", "s-1"]) await world.untilSession(name, "taken", ({ sandbox }) => sandbox?.pool === "warm");
  await world.until("they are members no more", async () => (await kit.get()).status?.replicas === 0);
  await world.rest(operator);
  expect((await world.pods()).map(uidOf).sort()).toEqual(warm.map(uidOf).sort());
  expect((await kit.get()).status).toMatchObject({ replicas: 0, readyReplicas: 0 });
});

it("gives way to a session that finds no place and cannot take what waits", async () => {
  await kit.changeClass({ maxSandboxes: 3 });
  await world.startOperator({}, pools);
  await kit.create(2);
  await kit.fill(2);
  await world.client.create(serviceAccounts, { metadata: { name: "visitor", namespace: world.namespace } });
  await world.allowAccount("visitor", [
    { resources: ["sandboxclasses"], verbs: ["use"], resourceNames: [world.namespace] },
  ]);
  const session = await world.createSession("cold", { serviceAccountName: "visitor" });
  await world.createPrompt(session, 1);
  await world.until("it waits for a place", async () => {
    return (await world.session("cold")).status?.sandbox === undefined;
  });
  world.clock.advance(6_000);
  await world.until("it has a sandbox", async () => {
    await kit.runAll();
    return (await world.session("cold")).status?.sandbox !== undefined;
  });
  expect((await world.pods()).filter(isLeft).length).toBeLessThanOrEqual(2);
  await kit.fill(1);
});

it("takes nothing of another account's pool", async () => {
  await world.startOperator({}, pools);
  await world.client.create(serviceAccounts, { metadata: { name: "visitor", namespace: world.namespace } });
  await world.allowAccount("visitor", [
    { resources: ["sandboxclasses"], verbs: ["use"], resourceNames: [world.namespace] },
  ]);
  await kit.create(1, { serviceAccountName: "visitor" });
  const [warm] = await kit.fill(1);
  await kit.createSessions(1);
  expect(uidOf(await kit.untilOwnPod(1))).not.toBe(uidOf(warm!));
});

it("writes nothing for 20 pools that are full", async () => {
  await kit.changeClass({ maxWarmSandboxes: 20 });
  const operator = await world.startOperator({}, pools);
  const names = Array.from({ length: 20 }, (_, index) => `warm-${index}`);
  await Promise.all(names.map((name) => kit.create(1, {}, name)));
  for (const name of names) await kit.fill(1, name);
  await world.rest(operator);
  operator.writes.length = 0;
  world.clock.advance(60_000);
  await world.rest(operator);
  expect(operator.writes).toEqual([]);
  expect((await world.pods()).filter(isWarm)).toHaveLength(20);
});
