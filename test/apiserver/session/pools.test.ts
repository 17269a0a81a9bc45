import { afterEach, beforeEach, expect, it } from "vitest";
import { labels, SandboxClass, type Session } from "../../../src/api/v1alpha1/index.ts";
import { safeToEvict } from "../../../src/api/v1alpha1/names.ts";
import { makeClassPolicy } from "../../../src/controllers/sandbox/network/network-policy.ts";
import { networkPolicies, pods } from "../../../src/kube/core-resources.ts";
import { testCluster } from "../../support/cluster.ts";
import type { Trouble } from "../../support/trouble.ts";
import { isLeft, isWarm, PoolKit, uidOf } from "./pool-kit.ts";
import { conditionOf, type Operator, World } from "./world.ts";

let world: World;
let kit: PoolKit;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  kit = new PoolKit(world);
  await allowWarm(10);
});
afterEach(() => world.close());

const pools = { hasPools: true };

const allowWarm = (maxWarmSandboxes: number): Promise<void> => kit.changeClass({ maxWarmSandboxes });

it("keeps as many sandboxes as are wanted, which the class's policies select, and then writes nothing", async () => {
  const operator = await world.startOperator({}, pools);
  await kit.create(3);
  const warm = await kit.fill(3);
  expect(warm).toHaveLength(3);
  const { status } = await kit.get();
  expect(status).toMatchObject({ replicas: 3, readyReplicas: 3 });
  expect(status?.members?.map(({ podUID }) => podUID).sort()).toEqual(warm.map(uidOf).sort());
  expect(conditionOf(await kit.get(), "Ready")).toMatchObject({ status: "True", reason: "PoolFull" });
  const sandboxClass = await world.client.get(SandboxClass, { name: world.namespace });
  const { namespace } = world;
  const made = makeClassPolicy(namespace, world.release, sandboxClass, []);
  const policy = await world.client.get(networkPolicies, { namespace, name: made.metadata.name! });
  const { matchLabels = {} } = policy.spec!.podSelector!;
  for (const { metadata } of warm) expect(metadata.labels).toMatchObject(matchLabels);
  await world.rest(operator);
  operator.writes.length = 0;
  world.clock.advance(60_000);
  await world.rest(operator);
  expect(operator.writes).toEqual([]);
});

it("is warned of others' NetworkPolicies that select what waits, until none does", async () => {
  const { client, namespace } = world;
  const spec = { podSelector: {}, policyTypes: ["Egress"], egress: [{}] };
  await client.create(networkPolicies, { metadata: { name: "open", namespace }, spec });
  const operator = await world.startOperator({}, pools);
  await kit.create(1);
  await kit.fill(1);
  const warning = async () => conditionOf(await kit.get(), "ForeignNetworkPolicy");
  const message = "the sandbox is also selected by NetworkPolicy open";
  expect(await warning()).toMatchObject({ status: "True", reason: "ForeignNetworkPolicy", message });
  await client.delete(networkPolicies, { namespace, name: "open" });
  await world.rest(operator);
  expect(await warning()).toMatchObject({ status: "True" });
  world.clock.advance(600_000);
  await world.until("the warning is gone", async () => (await warning()) === undefined);
});

it("is not full before the kubelet has said that what waits at the gateway has started", async () => {
  const operator = await world.startOperator({}, pools);
  await kit.create(1);
  await world.until("there is a pod", async () => (await world.pods()).length === 1);
  await world.noteWaiting((await world.pods()).map(uidOf));
  await world.rest(operator);
  expect(conditionOf(await kit.get(), "Ready")).toMatchObject({ status: "False", reason: "PoolFilling" });
  await kit.fill(1);
  expect(conditionOf(await kit.get(), "Ready")).toMatchObject({ status: "True" });
});

it("gives a waiting sandbox to a session, whose it becomes, and another waits in its place", async () => {
  const { poolAnswers } = await world.startOperator({}, pools);
  await kit.create(1);
  const [warm] = await kit.fill(1);
  expect((await kit.get()).status).not.toHaveProperty("lastClaimTime");
  const claimedFrom = world.clock.now().toISOString();
  const [session] = await kit.createSessions(1);
  const recorded = await world.untilSession("s-0", "recorded", ({ sandbox }) => sandbox?.podUID !== undefined);
  expect(recorded.status?.sandbox).toMatchObject({ attempt: 1, podUID: uidOf(warm!), pool: "warm" });
  const taken = await world.client.get(pods, { namespace: world.namespace, name: warm!.metadata.name! });
  expect(taken.metadata).toMatchObject({
    labels: { [labels.sessionUid]: session!.metadata.uid, [labels.attempt]: "1", [labels.claimedFrom]: "warm" },
    ownerReferences: [{ kind: "Session", uid: session!.metadata.uid }],
  });
  expect(taken.metadata.labels).not.toHaveProperty(labels.ownerUid);
  expect(taken.spec?.activeDeadlineSeconds).toBeGreaterThan(7_200);
  expect((await world.bundle(session!, 1)).session.uid).toBe(session!.metadata.uid);
  await world.connect(session!, 1);
  await world.reportReady(session!, 1);
  await world.untilSession("s-0", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
  const [next] = await kit.fill(1);
  expect(uidOf(next!)).not.toBe(uidOf(warm!));
  const { lastClaimTime = "" } = (await kit.get()).status ?? {};
  expect(lastClaimTime >= claimedFrom && lastClaimTime <= world.clock.now().toISOString(), lastClaimTime).toBe(true);
  expect(poolAnswers).toEqual(["taken"]);
  expect((await world.pods()).map(uidOf).sort()).toEqual([uidOf(warm!), uidOf(next!)].sort());
});

it.each([{ own: undefined }, { own: "true" }, { own: "false" }])(
  "lets a cluster autoscaler remove the node of a sandbox that waits, and after that where the class says so: $own",
  async ({ own }) => {
    if (own !== undefined) await kit.changeClass({ podMetadata: { annotations: { [safeToEvict]: own } } });
    await world.startOperator({}, pools);
    await kit.create(1);
    const [warm] = await kit.fill(1);
    expect(warm!.metadata.annotations).toMatchObject({ [safeToEvict]: "true" });
    await kit.createSessions(1);
    const { status } = await world.untilSession("s-0", "recorded", ({ sandbox }) => sandbox?.podUID !== undefined);
    expect(status?.sandbox).toMatchObject({ podUID: uidOf(warm!) });
    const taken = await world.client.get(pods, { namespace: world.namespace, name: warm!.metadata.name! });
    expect(taken.metadata.annotations?.[safeToEvict]).toBe(own);
  },
);

it("starts a sandbox of its own where the one from the pool does not answer for 10 s", async () => {
  const { poolAnswers } = await world.startOperator({}, pools);
  await kit.create(1);
  const [warm] = await kit.fill(1);
  await kit.createSessions(1);
  await world.untilSession("s-0", "recorded", ({ sandbox }) => sandbox?.podUID === uidOf(warm!));
  world.clock.advance(9_000);
  expect((await world.session("s-0")).status?.sandbox?.endTime).toBeUndefined();
  const pod = await kit.untilOwnPod(2);
  await world.reportRunning(pod.metadata.name!);
  const { status } = await world.untilSession("s-0", "again", ({ sandbox }) => sandbox?.attempt === 2);
  expect(status?.sandbox).not.toHaveProperty("pool");
  expect(status?.sandbox).not.toHaveProperty("replacement");
  expect(status).not.toHaveProperty("startFailures");
  expect(poolAnswers).toEqual(["taken", "unanswered"]);
});

it.each([
  { what: "has no sandbox yet", make: () => kit.create(1), want: ["empty"] },
  { what: "is to have none", make: () => kit.create(0), want: [] },
  { what: "is of another account", make: () => kit.create(1, { serviceAccountName: "other" }), want: [] },
])("a session starts a sandbox of its own where the pool $what, and is counted as $want", async ({ make, want }) => {
  const { poolAnswers } = await world.startOperator({}, { hasPools: true, refills: false });
  await make();
  await kit.createSessions(1);
  await kit.untilOwnPod(1);
  await world.untilSession("s-0", "recorded", ({ sandbox }) => sandbox?.podUID !== undefined);
  expect(poolAnswers).toEqual(want);
});

it.each([
  { change: "nothing", make: () => Promise.resolve(), isTaken: true },
  { change: "the class", make: () => kit.changeClass({ image: "sandbox:2" }), isTaken: false },
  {
    change: "the gateway's authority",
    make: () => {
      world.gatewayCa = "PEM2";
      return Promise.resolve();
    },
    isTaken: false,
  },
])("has a session take the sandbox after a change of $change: $isTaken", async ({ make, isTaken }) => {
  const first = await world.startOperator({}, pools);
  await kit.create(1);
  const [warm] = await kit.fill(1);
  await first.stop();
  await make();
  // Without the controller of pools the stale sandbox stays and waits.
  await world.startOperator({}, { hasPools: true, refills: false });
  await kit.createSessions(1);
  const pod = await kit.untilOwnPod(1);
  expect(uidOf(pod) === uidOf(warm!)).toBe(isTaken);
  expect((await world.pods()).map(uidOf)).toContain(uidOf(warm!));
});

it("replaces the sandboxes that wait once the class has changed", async () => {
  await world.startOperator({}, pools);
  await kit.create(2);
  const old = await kit.fill(2);
  await kit.changeClass({ image: "sandbox:2" });
  await world.until("all are new", async () => {
    await kit.runAll();
    const { status } = await kit.get();
    const uids = status?.members?.map(({ podUID }) => podUID) ?? [];
    return status?.readyReplicas === 2 && !old.some((pod) => uids.includes(uidOf(pod)));
  });
  expect((await world.pods()).map(({ spec }) => spec?.containers[0]?.image)).toEqual(["sandbox:2", "sandbox:2"]);
});

it("gives nothing to a pod that only has our labels, though it says that it waits", async () => {
  await world.startOperator({}, pools);
  await kit.create(1);
  const [warm] = await kit.fill(1);
  const spec = { serviceAccountName: "runner", containers: [{ name: "other", image: "other:1" }] };
  const { metadata } = warm!;
  const forged = await world.client.create(pods, {
    metadata: {
      name: "forged",
      namespace: world.namespace,
      labels: metadata.labels ?? {},
      ownerReferences: metadata.ownerReferences ?? [],
    },
    spec,
  });
  await world.reportRunning("forged");
  await world.noteWaiting([uidOf(forged)]);
  await kit.createSessions(1);
  const recorded = await world.untilSession("s-0", "started", ({ queue }) => queue !== undefined);
  expect(recorded.status?.sandbox?.podUID).not.toBe(uidOf(forged));
  const left = await world.client.get(pods, { namespace: world.namespace, name: "forged" });
  expect(left.metadata.labels).not.toHaveProperty(labels.sessionUid);
});

/** No pod has two sessions, and no session two pods; what is being deleted has none. */
async function expectNoneShared(sessions: readonly Session[]): Promise<void> {
  const stored = await Promise.all(sessions.map(({ metadata }) => world.session(metadata.name!)));
  const named = stored.map(({ status }) => status?.sandbox?.podUID ?? "");
  expect(new Set(named).size).toBe(sessions.length);
  const owned = (await world.pods()).filter(isLeft).filter((pod) => !isWarm(pod));
  expect(owned.map(uidOf).sort()).toEqual([...named].sort());
}

it("gives no sandbox to two of fifty sessions, and no session two", async () => {
  const operator = await world.startOperator({}, pools);
  await kit.create(10);
  await kit.fill(10);
  const sessions = await kit.createSessions(50);
  await world.until("all have a sandbox", async () => {
    await kit.runAll();
    const stored = await Promise.all(sessions.map(({ metadata }) => world.session(metadata.name!)));
    return stored.every(({ status }) => status?.sandbox?.podUID !== undefined);
  });
  await world.rest(operator);
  await expectNoneShared(sessions);
  const { status } = await kit.get();
  expect(status?.members?.length).toBeLessThanOrEqual(10);
});

/** Writes of a claim and of the pool's next member. */
const each = Array.from({ length: 8 }, (_, index) => index + 1);

it.each(each.flatMap((at): Trouble[] => [{ diesAt: at }, { diesAfter: at }]))(
  "shares no sandbox when the operator dies %o",
  async (trouble) => {
    const first = await world.startOperator({}, pools);
    await kit.create(2);
    await kit.fill(2);
    await first.stop();
    let operator: Operator = await world.startOperator(trouble, pools);
    const sessions = await kit.createSessions(2);
    await world.until("both are recorded", async () => {
      if (operator.work.reconciles.some((one) => one.endsWith(" stopped"))) {
        await operator.stop();
        operator = await world.startOperator({}, pools);
      }
      await kit.runAll();
      const stored = await Promise.all(sessions.map(({ metadata }) => world.session(metadata.name!)));
      return stored.every(({ status }) => status?.sandbox?.podUID !== undefined);
    });
    await world.until("nothing is left over", async () => {
      await kit.runAll();
      const owned = (await world.pods()).filter(isLeft).filter((pod) => !isWarm(pod));
      return owned.length === 2;
    });
    await expectNoneShared(sessions);
    await kit.fill(2);
  },
);

it("has no more pods than replicas, also while the class bounds them and when they are scaled down", async () => {
  await world.startOperator({}, pools);
  await allowWarm(2);
  await kit.create(3);
  await kit.fill(2);
  expect(conditionOf(await kit.get(), "Ready")).toMatchObject({ status: "False", reason: "PoolBounded" });
  await kit.scale(1);
  await kit.fill(1);
  await world.until("one is left", async () => (await world.pods()).filter(isLeft).length === 1);
  await kit.scale(0);
  await world.until("none is left", async () => (await world.pods()).filter(isLeft).length === 0);
});
