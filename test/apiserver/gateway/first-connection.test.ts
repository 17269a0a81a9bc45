import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import { closeCodes, protocolTimes } from "../../../src/api/runtime/limits.ts";
import { annotations } from "../../../src/api/v1alpha1/names.ts";
import { unwrittenMs } from "../../../src/gateway/attempts/held-lease.ts";
import type { SeenRequest } from "../../support/fault-proxy.ts";
import { openPair, pass, type Replica, type ReplicaPair, startReplica } from "../../support/replicas.ts";
import { RuntimePeer } from "../../support/runtime-peer.ts";
import { makeSandbox, type SandboxFixture, type World } from "../../support/runtime-world.ts";

const renewalMs = 5_000;

let pair: ReplicaPair;
let world: World;
let one: Replica;
let other: Replica;

beforeAll(async () => {
  pair = await openPair();
  ({ world, one, other } = pair);
});
afterEach(() => pair.heal());
afterAll(() => pair.close());

/** A runtime that has just begun. */
async function connectYoung(replica: Replica, sandbox: SandboxFixture): Promise<RuntimePeer> {
  const peer = await RuntimePeer.connect(world, replica.gateway, sandbox);
  peer.send({ type: "hello", protocol: 1, needsBundle: false, openPrompts: [], connection: 1, runningMs: 0 });
  await peer.next("welcome");
  return peer;
}

/** What a report is stored with waits a moment for more, and tries that failed are repeated. */
async function whileMoving<T>({ clock }: Replica, work: () => Promise<T>): Promise<T> {
  const moving = setInterval(() => clock.move(20), 20);
  try {
    return await work();
  } finally {
    clearInterval(moving);
  }
}

const reportReady = (replica: Replica, peer: RuntimePeer): Promise<unknown> =>
  whileMoving(replica, () => {
    peer.send({ type: "ready", seq: 1 });
    return peer.next("ack");
  });

const notes = async (sandbox: SandboxFixture): Promise<Record<string, string>> =>
  (await sandbox.lease())?.metadata.annotations ?? {};

const isCreation = ({ method, path }: SeenRequest): boolean => method === "POST" && path.includes("/leases");

/** Methods of the writes of this sandbox's Lease since then; it is the only one that is created. */
function writesSince({ proxy }: Replica, mark: number, { sessionUid }: SandboxFixture): string[] {
  const isOf = (request: SeenRequest): boolean => isCreation(request) || request.path.includes(`/leases/${sessionUid}`);
  const writes = proxy.seen.slice(mark).filter((request) => request.isWrite && isOf(request));
  return writes.map(({ method }) => method);
}

it("is written with the end of boot, in one write", async () => {
  const sandbox = await makeSandbox(world);
  const mark = one.proxy.seen.length;
  const peer = await connectYoung(one, sandbox);
  expect(await sandbox.lease()).toBeUndefined();
  await reportReady(one, peer);
  expect(writesSince(one, mark, sandbox)).toEqual(["POST"]);
  expect(Object.keys(await notes(sandbox)).sort()).toEqual(
    [annotations.connectedTime, annotations.connection, annotations.readyTime].sort(),
  );
  peer.close();
});

it("is written once it is 30 s old, and no sooner, and silence is noted as ever", async () => {
  const sandbox = await makeSandbox(world);
  const mark = one.proxy.seen.length;
  (await connectYoung(one, sandbox)).close();
  await pass(world, one, unwrittenMs - renewalMs);
  expect(await sandbox.lease()).toBeUndefined();
  await pass(world, one, 2 * renewalMs);
  expect(await notes(sandbox)).not.toHaveProperty([annotations.silentSince]);
  await pass(world, one, protocolTimes.silenceMs - unwrittenMs + renewalMs);
  expect(await notes(sandbox)).toHaveProperty([annotations.silentSince]);
  expect(writesSince(one, mark, sandbox)).toEqual(["POST", "PATCH"]);
});

it("is written with a phase of boot that lasts for more than 5 s", async () => {
  const sandbox = await makeSandbox(world);
  const mark = one.proxy.seen.length;
  const peer = await connectYoung(one, sandbox);
  peer.send({ type: "event", seq: 1, event: { kind: "bootProgress", phase: "clone", repository: "shop" } });
  await whileMoving(one, () => peer.next("ack"));
  await pass(world, one, 2 * renewalMs);
  expect(JSON.parse(await sandbox.noted("boot-phase"))).toMatchObject({ phase: "clone" });
  expect(writesSince(one, mark, sandbox)).toEqual(["POST"]);
  peer.close();
});

it.each(["refuse", "lose"] as const)("is written in the end when its one write fails: %s", async (kind) => {
  const sandbox = await makeSandbox(world);
  const peer = await connectYoung(one, sandbox);
  one.proxy.inject({ kind }, { matches: isCreation, times: 1 });
  await reportReady(one, peer);
  expect(await notes(sandbox)).toHaveProperty([annotations.readyTime]);
  peer.close();
});

it("is nothing to the next replica when its own dies before it wrote", async () => {
  const sandbox = await makeSandbox(world);
  const lost = await startReplica(world, "lost");
  await connectYoung(lost, sandbox);
  lost.proxy.decide(() => ({ kind: "refuse" }));
  const peer = await RuntimePeer.welcome(world, other.gateway, sandbox, 2);
  expect(await notes(sandbox)).toMatchObject({ [annotations.connection]: "2" });
  expect(await sandbox.lease()).toMatchObject({ spec: { holderIdentity: expect.stringMatching(/^other_/) as string } });
  await lost.close();
  peer.close();
});

it("writes nothing, neither late nor with a report, once a later connection is written", async () => {
  const sandbox = await makeSandbox(world);
  const former = await connectYoung(one, sandbox);
  const later = await RuntimePeer.welcome(world, other.gateway, sandbox, 2);
  const before = await sandbox.lease();
  former.send({ type: "bootFailed", seq: 1, failure: { phase: "agent", reason: "X", message: "late" } });
  expect(await whileMoving(one, () => former.closed)).toBe(closeCodes.replaced);
  await pass(world, one, unwrittenMs + protocolTimes.silenceMs);
  expect(await sandbox.lease()).toEqual(before);
  later.close();
});
