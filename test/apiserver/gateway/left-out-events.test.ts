import { afterEach, beforeEach, expect, it } from "vitest";

import { eventLimits } from "../../../src/gateway/events/limits.ts";
import { segmentKey } from "../../../src/gateway/events/segments.ts";
import { openDirectoryStore } from "../../support/directory-store.ts";
import type { SeenRequest } from "../../support/fault-proxy.ts";
import { pass, type Replica, startReplica } from "../../support/replicas.ts";
import { RuntimePeer } from "../../support/runtime-peer.ts";
import { eventually, makeSandbox, makeWorld, type SandboxFixture, type World } from "../../support/runtime-world.ts";

/** Of the namespace's events; how boots and prompts went has 512 bytes more. */
const budget = 8_192;
/** More than that, in an event that finds the budget unused. */
const large = "€".repeat(4_000);
const renewalMs = 5_000;

let world: World;
let replica: Replica;

beforeEach(async () => {
  world = await makeWorld();
  replica = await startReplica(world, "one", { blobBudgets: { events: { namespace: budget } } });
});
afterEach(async () => {
  await replica.close();
  await world.close();
});

const output = (seq: number, text = "more"): object => ({
  type: "event",
  seq,
  event: { kind: "output", source: "agent", stream: "stdout", text },
});

const isWriteOf =
  ({ sessionUid }: SandboxFixture) =>
  ({ path, isWrite }: SeenRequest): boolean =>
    isWrite && path.includes(`/leases/${sessionUid}-`);

/** What the gateway notes on the Lease, once it does. */
async function noted(sandbox: SandboxFixture): Promise<{ bound: string; message: string }> {
  return JSON.parse(await sandbox.noted("events-left-out")) as { bound: string; message: string };
}

async function isNoted(sandbox: SandboxFixture): Promise<boolean> {
  return (await sandbox.lease())?.metadata.annotations?.["runwright.dev/events-left-out"] !== undefined;
}

async function leftOut(bound: string): Promise<number> {
  const counter = replica.gateway.registry.getSingleMetric("runwright_gateway_events_dropped_total")!;
  return (await counter.get()).values.find(({ labels }) => labels.bound === bound)?.value ?? 0;
}

/** Sends this, and a report that has everything before it stored; waits until all is acknowledged. */
async function send(peer: RuntimePeer, seq: number, text?: string): Promise<void> {
  peer.send(output(seq, text));
  peer.send({ type: "ready", seq: seq + 1 });
  await eventually(`${seq + 1} is acknowledged`, () => peer.acknowledged === seq + 1);
}

it("notes on the Lease, once, which budget left events out, how large it is and how to ask for more", async () => {
  const sandbox = await makeSandbox(world);
  const peer = await RuntimePeer.welcome(world, replica.gateway, sandbox);
  const before = await leftOut("namespace");
  await send(peer, 1, large);
  // The event itself had room, and what was reported behind it had none.
  expect(await leftOut("namespace")).toBe(before + 1);
  const { bound, message } = await noted(sandbox);
  expect(bound).toBe("namespace");
  expect(message).toMatch(
    /^events of sessions of namespace \S+ have used [\d.]+ KiB of 8 KiB: delete Sessions .*\(gateway\.blobStore\.budgets\.events\.namespace\)/,
  );
  const mark = replica.proxy.seen.length;
  for (const seq of [3, 5, 7]) await send(peer, seq);
  await pass(world, replica, renewalMs);
  expect(await leftOut("namespace")).toBe(before + 7);
  expect(replica.proxy.seen.slice(mark).filter(isWriteOf(sandbox))).toEqual([]);
  peer.close();
});

it("notes the limit of the session itself, also of an attempt that begins beyond it", async () => {
  const sandbox = await makeSandbox(world, { attempt: 2 });
  const store = await openDirectoryStore(world.blobDirectory);
  const earlier = segmentKey(sandbox.sessionUid, { attempt: 1, seq: 1 }, "w");
  await store.put(earlier, Buffer.alloc(eventLimits.sessionBytes, "\n"));
  const peer = await RuntimePeer.welcome(world, replica.gateway, sandbox);
  await send(peer, 1);
  const { bound, message } = await noted(sandbox);
  expect([bound, message]).toEqual(["session", expect.stringContaining("64 MiB, the most of one Session") as string]);
  peer.close();
});

it.each([
  { name: "one conflict", times: 1, isNotedAtOnce: true },
  { name: "as many conflicts as a write is tried", times: 5, isNotedAtOnce: false },
])("notes it after $name, at the next renewal at the latest", async ({ times, isNotedAtOnce }) => {
  const sandbox = await makeSandbox(world);
  const peer = await RuntimePeer.welcome(world, replica.gateway, sandbox);
  // The Lease is there, and says that the sandbox is ready.
  peer.send({ type: "ready", seq: 1 });
  await eventually("1 is acknowledged", () => peer.acknowledged === 1);
  const isConflict = (request: SeenRequest): boolean => isWriteOf(sandbox)(request) && request.isFaulty;
  const conflict = { kind: "answer", status: 409, reason: "Conflict" } as const;
  replica.proxy.inject(conflict, { matches: isWriteOf(sandbox), times });
  // As many as are written at once, while the replica's clock stands still.
  peer.send(output(2, large));
  for (let seq = 3; seq < 3 + eventLimits.waitingEvents; seq += 1) peer.send(output(seq));
  await eventually("conflicts", () => replica.proxy.seen.filter(isConflict).length === times);
  if (!isNotedAtOnce) {
    expect(await isNoted(sandbox)).toBe(false);
    await pass(world, replica, renewalMs);
  }
  expect(await noted(sandbox)).toMatchObject({ bound: "namespace" });
  peer.close();
});
