import { afterEach, beforeEach, expect, it } from "vitest";

import { makeAutomation, setKey, patchAutomation, runsOf } from "./automations.ts";
import { type Sent, deliver, receipt } from "./sender.ts";
import { freezeWatch, startWorld, type World, type Replica, waitFor } from "./world.ts";

let world: World;
let one: Replica;
let other: Replica;
beforeEach(async () => {
  world = await startWorld(2);
  [one, other] = [world.replicas[0]!, world.replicas[1]!];
});
afterEach(() => world.close());

const isTriggered = ({ body }: Sent): boolean => JSON.stringify(body) === JSON.stringify(receipt(1));
const isSkipped = ({ body }: Sent): boolean => JSON.stringify(body) === JSON.stringify(receipt(0, 1));

it("starts one run for 20 concurrent deliveries of one key, of whatever replica", async () => {
  const made = await makeAutomation(world);
  for (const round of [1, 2, 3]) {
    const body = { idempotencyKey: `round ${round}` };
    const sent = await Promise.all(Array.from({ length: 20 }, (_, at) => deliver(world.replicas[at % 2]!, made, body)));
    expect(sent.filter(isTriggered)).toHaveLength(1);
    expect(sent.filter(isSkipped)).toHaveLength(19);
    expect(await runsOf(made)).toHaveLength(round);
  }
});

it("starts a run for each of 50 concurrent deliveries without a key", async () => {
  const made = await makeAutomation(world);
  const sent = await Promise.all(Array.from({ length: 50 }, (_, at) => deliver(world.replicas[at % 2]!, made, {})));
  expect(sent.every(isTriggered)).toBe(true);
  expect(await runsOf(made)).toHaveLength(50);
});

it("judges by the new key a second after it was written, on both replicas, one watch frozen", async () => {
  const made = await makeAutomation(world);
  for (const replica of world.replicas) expect(isTriggered(await deliver(replica, made, {}))).toBe(true);
  await freezeWatch(other);
  // On each replica a read that began before the write, and saw the old hash, ends long after it.
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  const readers = world.replicas.map((replica) => {
    const { promise: hasRead, resolve: read } = Promise.withResolvers<undefined>();
    const run = async (): Promise<void> => {
      read(undefined);
      await released;
    };
    replica.proxy.inject({ kind: "between", run }, { matches: ({ path }) => path.includes("/secrets/") });
    replica.forget();
    return { hasRead, answer: deliver(replica, made, {}) };
  });
  await Promise.all(readers.map(({ hasRead }) => hasRead));
  const key = await setKey(world, made.uid);
  for (const replica of world.replicas) {
    replica.clock.move(1_001);
    expect((await deliver(replica, made, {})).status).toBe(401);
  }
  release(undefined);
  // They were sent before the write.
  for (const { answer } of readers) expect(isTriggered(await answer)).toBe(true);
  for (const replica of world.replicas) {
    expect((await deliver(replica, made, {})).status).toBe(401);
    expect(isTriggered(await deliver(replica, { ...made, key }, {}))).toBe(true);
  }
});

it("knows an automation that a frozen watch has not shown", async () => {
  await freezeWatch(other);
  const made = await makeAutomation(world);
  expect(isTriggered(await deliver(other, made, {}))).toBe(true);
});

it("pauses within a second, on both replicas", async () => {
  const made = await makeAutomation(world);
  for (const replica of world.replicas) await deliver(replica, made, {});
  await patchAutomation(made, { spec: { suspend: true } });
  for (const replica of world.replicas) {
    replica.clock.move(1_001);
    expect((await deliver(replica, made, {})).body).toEqual(receipt(0));
  }
  expect(await runsOf(made)).toHaveLength(2);
});

it("shares one read among concurrent deliveries, and begins the next half a second later", async () => {
  const made = await makeAutomation(world);
  const reads = (): number => {
    return one.proxy.seen.filter(({ method, path }) => method === "GET" && path.endsWith(`/automations/${made.name}`))
      .length;
  };
  const deliverTen = async (): Promise<void> => {
    const sent = await Promise.all(Array.from({ length: 10 }, () => deliver(one, made, {})));
    expect(sent.every(isTriggered)).toBe(true);
  };
  await deliverTen();
  expect(reads()).toBe(1);
  one.clock.move(500);
  await deliverTen();
  expect(reads()).toBe(1);
  one.clock.move(1);
  await deliverTen();
  await waitFor("the next read has begun", () => reads() === 2);
  await deliverTen();
  expect(reads()).toBe(2);
  expect(await runsOf(made)).toHaveLength(40);
});

it("spends at most 20 reads a second on ids that do not exist, and none twice on the same one", async () => {
  const key = "any";
  const reads = (): number => one.proxy.seen.filter(({ path }) => path.includes("/namespaces/nowhere/")).length;
  for (const second of [1, 2]) {
    const ids = Array.from({ length: 60 }, (_, at) => `nowhere.id-${second}-${at}`);
    const sent = await Promise.all(ids.map((id) => deliver(one, { id, key }, {})));
    expect(reads()).toBe(20 * second);
    expect(sent.filter(({ status }) => status === 404)).toHaveLength(20);
    const unknown = sent.filter(({ status }) => status === 503);
    expect(unknown).toHaveLength(40);
    expect(unknown[0]?.headers["retry-after"]).toBe("2");
    one.clock.move(1_000);
  }
  const again = await Promise.all(Array.from({ length: 50 }, () => deliver(other, { id: "nowhere.same", key }, {})));
  expect(again.every(({ status }) => status === 404)).toBe(true);
  expect(other.proxy.seen.filter(({ path }) => path.includes("same"))).toHaveLength(1);
});
