import { afterAll, beforeAll, expect, it } from "vitest";

import { type Made, makeAutomation, setKey, patchAutomation, runsOf } from "./automations.ts";
import { type Sent, deliver, receipt } from "./sender.ts";
import { startWorld, type World, type Replica, writesOf } from "./world.ts";

let world: World;
let one: Replica;
let other: Replica;
beforeAll(async () => {
  world = await startWorld(2);
  [one, other] = [world.replicas[0]!, world.replicas[1]!];
});
afterAll(() => world.close());

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

it("judges by the new key two seconds after it was written, on both replicas, one watch frozen", async () => {
  const made = await makeAutomation(world);
  for (const replica of world.replicas) expect(isTriggered(await deliver(replica, made, {}))).toBe(true);
  expect(other.proxy.breakWatches("silence")).toBe(1);
  const statuses = new Set<number>();
  let isOver = false;
  // Deliveries with the old key go on until the new one is written, so that a read is under way then.
  const senders = world.replicas.map(async (replica) => {
    while (!isOver) statuses.add((await deliver(replica, made, {})).status);
  });
  const key = await setKey(world, made.uid);
  isOver = true;
  await Promise.all(senders);
  for (const replica of world.replicas) replica.clock.move(2_000);
  for (const replica of world.replicas) {
    expect((await deliver(replica, made, {})).status).toBe(401);
    expect(isTriggered(await deliver(replica, { ...made, key }, {}))).toBe(true);
  }
  expect([...statuses].filter((status) => status !== 200 && status !== 401)).toEqual([]);
});

it("knows an automation that a frozen watch has not shown", async () => {
  other.proxy.breakWatches("silence");
  const made = await makeAutomation(world);
  expect(isTriggered(await deliver(other, made, {}))).toBe(true);
});

it("pauses within a second, on both replicas", async () => {
  const made = await makeAutomation(world);
  for (const replica of world.replicas) await deliver(replica, made, {});
  await patchAutomation(made, { spec: { suspend: true } });
  for (const replica of world.replicas) {
    replica.forget();
    expect((await deliver(replica, made, {})).body).toEqual(receipt(0));
  }
  expect(await runsOf(made)).toHaveLength(2);
});

it("shares one read among concurrent deliveries and reads at most twice a second", async () => {
  const made = await makeAutomation(world);
  one.proxy.seen.length = 0;
  await one.clock.stopWhile(async () => {
    for (let passedMs = 0; passedMs < 1_500; passedMs += 50) {
      await Promise.all(Array.from({ length: 5 }, () => deliver(one, made, {})));
      one.clock.move(50);
    }
  });
  const reads = one.proxy.seen.filter(({ method, path }) => method === "GET" && path.includes(made.name));
  expect(reads.length).toBeGreaterThan(1);
  expect(reads.length).toBeLessThanOrEqual(2 * 1.5 + 1);
  expect(await runsOf(made)).toHaveLength(writesOf(one).length);
});

it("spends at most 20 reads a second on ids that do not exist, and none twice on the same one", async () => {
  const made: Pick<Made, "id" | "key"> = { id: "", key: "any" };
  one.forget();
  one.proxy.seen.length = 0;
  const ids = Array.from({ length: 60 }, (_, at) => `nowhere.id-${at}`);
  const sent = await one.clock.stopWhile(() => Promise.all(ids.map((id) => deliver(one, { ...made, id }, {}))));
  const found = one.proxy.seen.filter(({ path }) => path.includes("nowhere")).length;
  expect(found).toBe(20);
  expect(sent.filter(({ status }) => status === 404)).toHaveLength(found);
  const unknown = sent.filter(({ status }) => status === 503);
  expect(unknown).toHaveLength(60 - found);
  expect(unknown[0]?.headers["retry-after"]).toBe("2");
  const again = await Promise.all(
    Array.from({ length: 50 }, () => deliver(other, { ...made, id: "nowhere.same" }, {})),
  );
  expect(again.every(({ status }) => status === 404)).toBe(true);
  expect(other.proxy.seen.filter(({ path }) => path.includes("same"))).toHaveLength(1);
});
