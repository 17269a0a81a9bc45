import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import { closeCodes, protocolTimes } from "../../../src/api/runtime/limits.ts";
import { gatewayLeaseName, sandboxPath } from "../../../src/api/runtime/pod-contract.ts";
import type { SeenRequest } from "../../support/fault-proxy.ts";
import { openPair, pass as passReplica, type Replica, type ReplicaPair } from "../../support/replicas.ts";
import { RuntimePeer, tryUpgrade } from "../../support/runtime-peer.ts";
import { eventually, find, makeSandbox, type SandboxFixture, type World } from "../../support/runtime-world.ts";

const beatMs = protocolTimes.heartbeatMs;
/** The replica's own Lease lapses when it was not renewed for so long. */
const lapseMs = 15_000;
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

const pass = (replica: Replica, ms: number): Promise<void> => passReplica(world, replica, ms);

const ownLease = async ({ name }: Replica): Promise<Record<string, unknown> | undefined> => {
  const { namespace } = world.release;
  return (await find(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/${gatewayLeaseName(name)}`))?.spec;
};

const isSessionLease = ({ path }: SeenRequest): boolean =>
  path.includes(`/namespaces/${world.release.sessionsNamespace}/leases`);

/** Writes that are about these sandboxes. */
function writesSince({ proxy }: Replica, mark: number, ...sandboxes: SandboxFixture[]): SeenRequest[] {
  const isAbout = ({ path }: SeenRequest): boolean =>
    sandboxes.some(({ session, sessionUid }) => path.includes(session) || path.includes(sessionUid));
  return proxy.seen.slice(mark).filter((request) => request.isWrite && isAbout(request));
}

const holder = async (sandbox: SandboxFixture): Promise<string> => String((await sandbox.lease())?.spec.holderIdentity);

const isNoted = async (sandbox: SandboxFixture): Promise<boolean> =>
  "runwright.dev/silent-since" in ((await sandbox.lease())?.metadata.annotations ?? {});

it("writes nothing for heartbeats at rest but the renewals of the replica's own Lease", async () => {
  const sandboxes = await Promise.all(Array.from({ length: 5 }, () => makeSandbox(world)));
  const peers = await Promise.all(sandboxes.map((sandbox) => RuntimePeer.welcome(world, one.gateway, sandbox)));
  const mark = one.proxy.seen.length;
  for (let beats = 0; beats < 4; beats += 1) {
    await pass(one, beatMs);
    for (const peer of peers) peer.send({ type: "heartbeat" });
  }
  expect(writesSince(one, mark, ...sandboxes)).toEqual([]);
  expect((await ownLease(one))?.holderIdentity).toBe(await holder(sandboxes[0]!));
  for (const peer of peers) peer.close();
});

it("notes each silence once, for the whole of it, and that it is over", async () => {
  const sandbox = await makeSandbox(world);
  const peer = await RuntimePeer.welcome(world, one.gateway, sandbox);
  const mark = one.proxy.seen.length;
  await pass(one, protocolTimes.silenceMs);
  expect(await isNoted(sandbox)).toBe(false);
  await pass(one, 3 * renewalMs);
  const noted = await sandbox.lease();
  const silentSince = Date.parse(noted?.metadata.annotations?.["runwright.dev/silent-since"] ?? "");
  const silentMs = Date.parse(String(noted?.spec.renewTime)) - silentSince;
  expect(silentMs).toBeGreaterThan(protocolTimes.silenceMs);
  expect(silentMs).toBeLessThan(protocolTimes.silenceMs + 2 * renewalMs);
  peer.send({ type: "heartbeat" });
  await eventually("beats", async () => !(await isNoted(sandbox)));
  await pass(one, beatMs);
  expect(writesSince(one, mark, sandbox)).toHaveLength(2);
  peer.close();
});

it("notes as silent a runtime that has no connection any more, and one that is over not at all", async () => {
  const [lost, over] = await Promise.all([makeSandbox(world), makeSandbox(world)]);
  for (const sandbox of [lost, over]) (await RuntimePeer.welcome(world, one.gateway, sandbox)).close();
  const mark = one.proxy.seen.length;
  await over.status({ sandbox: { endTime: new Date().toISOString() } });
  await pass(one, protocolTimes.silenceMs + 2 * renewalMs);
  expect(await isNoted(lost)).toBe(true);
  expect(writesSince(one, mark, lost, over)).toHaveLength(1);
});

it("cut off from the API server, gives up all runtimes after 15 s and comes back as another holder", async () => {
  const sandbox = await makeSandbox(world);
  const peer = await RuntimePeer.welcome(world, one.gateway, sandbox);
  const before = await holder(sandbox);
  one.proxy.decide(() => ({ kind: "refuse" }));
  one.clock.move(lapseMs);
  expect(await peer.closed).toBe(closeCodes.tryAgain);
  const url = one.gateway.sandboxUrl + sandboxPath(sandbox.sessionUid, 1);
  expect(await tryUpgrade(url, world.ca, await sandbox.token())).toMatchObject({
    status: 503,
    body: { code: "LeaseLapsed" },
  });
  // It does not write, late, that the runtime is silent, which another replica has meanwhile.
  const moved = await RuntimePeer.welcome(world, other.gateway, sandbox);
  one.proxy.decide(undefined);
  one.clock.move(renewalMs);
  await eventually("renewed", async () => (await ownLease(one))?.holderIdentity !== before);
  const mark = one.proxy.seen.length;
  await pass(one, 2 * protocolTimes.silenceMs);
  expect(writesSince(one, mark, sandbox)).toEqual([]);
  expect(await holder(sandbox)).toMatch(/^other_/);
  moved.close();
});

it("stopped and going on again, vouches for nothing that it held", async () => {
  const sandbox = await makeSandbox(world);
  const peer = await RuntimePeer.welcome(world, one.gateway, sandbox);
  const before = await holder(sandbox);
  // All timers are late at once, as after SIGSTOP.
  one.clock.move(60_000);
  expect(await peer.closed).toBe(closeCodes.tryAgain);
  const renewed = await eventually("renewed", async () => {
    const spec = await ownLease(one);
    return spec?.holderIdentity === before ? undefined : spec;
  });
  expect(renewed.holderIdentity).toMatch(/^one_/);
  expect(await holder(sandbox)).toBe(before);
});

it("lets the former replica write nothing late, neither that the runtime is silent nor a report", async () => {
  const sandbox = await makeSandbox(world);
  const former = await RuntimePeer.welcome(world, one.gateway, sandbox, 1);
  const moved = await RuntimePeer.welcome(world, other.gateway, sandbox, 2);
  const before = await sandbox.lease();
  await pass(one, protocolTimes.silenceMs + 2 * renewalMs);
  former.send({ type: "bootFailed", seq: 1, failure: { phase: "agent", reason: "X", message: "late" } });
  // What a report is stored with waits a moment for more.
  const moving = setInterval(() => one.clock.move(50), 20);
  expect(await former.closed).toBe(closeCodes.replaced);
  clearInterval(moving);
  expect(await sandbox.lease()).toEqual(before);
  moved.close();
});

it("gives the Lease to the later connection, whatever the order in which replicas come to it", async () => {
  const sandbox = await makeSandbox(world);
  const later = await RuntimePeer.welcome(world, other.gateway, sandbox, 2);
  const earlier = await RuntimePeer.connect(world, one.gateway, sandbox);
  earlier.send({ type: "hello", protocol: 1, needsBundle: false, openPrompts: [], connection: 1 });
  expect(await earlier.closed).toBe(closeCodes.replaced);
  expect(await holder(sandbox)).toMatch(/^other_/);
  later.close();
});

it("goes on with a claim when the Lease has changed between reading and writing", async () => {
  const sandbox = await makeSandbox(world);
  (await RuntimePeer.welcome(world, one.gateway, sandbox, 1)).close();
  let changed = 0;
  other.proxy.decide(async (request) => {
    if (changed > 0 || !request.isWrite || !isSessionLease(request)) return undefined;
    changed += 1;
    (await RuntimePeer.welcome(world, one.gateway, sandbox, 2)).close();
    return undefined;
  });
  const peer = await RuntimePeer.welcome(world, other.gateway, sandbox, 3);
  expect(changed).toBe(1);
  expect(await holder(sandbox)).toMatch(/^other_/);
  expect((await sandbox.lease())?.metadata.annotations).toMatchObject({ "runwright.dev/connection": "3" });
  peer.close();
});

it("makes a Lease again that was deleted, with what it said, when its runtime falls silent", async () => {
  const sandbox = await makeSandbox(world);
  const peer = await RuntimePeer.welcome(world, one.gateway, sandbox);
  peer.send({ type: "ready", seq: 1 });
  await peer.next("ack");
  await sandbox.removeLease();
  await pass(one, protocolTimes.silenceMs + 2 * renewalMs);
  expect((await sandbox.lease())?.metadata.annotations).toMatchObject({
    "runwright.dev/ready-time": expect.any(String) as unknown,
    "runwright.dev/silent-since": expect.any(String) as unknown,
  });
  peer.close();
});

it("notes a phase of boot once it has lasted for 5 s, or with another write, and none that is over", async () => {
  const [slow, quick] = await Promise.all([makeSandbox(world), makeSandbox(world)]);
  const peers = await Promise.all([slow, quick].map((sandbox) => RuntimePeer.welcome(world, one.gateway, sandbox)));
  const quickly = peers[1]!;
  const say = (peer: RuntimePeer, seq: number, phase: string): void =>
    peer.send({ type: "event", seq, event: { kind: "bootProgress", phase, repository: "shop" } });
  const mark = one.proxy.seen.length;
  for (const peer of peers) say(peer, 1, "clone");
  for (const peer of peers) say(peer, 2, "setup");
  quickly.send({ type: "ready", seq: 3 });
  const moving = setInterval(() => one.clock.move(1), 20);
  await quickly.next("ack");
  await quick.noted("ready-time");
  clearInterval(moving);
  await pass(one, 2 * renewalMs);
  expect(JSON.parse(await slow.noted("boot-phase"))).toMatchObject({ phase: "setup", repository: "shop" });
  await pass(one, 2 * renewalMs);
  expect((await quick.lease())?.metadata.annotations).not.toHaveProperty(["runwright.dev/boot-phase"]);
  expect(writesSince(one, mark, slow, quick)).toHaveLength(2);
  for (const peer of peers) peer.close();
});

it("takes over a Lease of the previous version's gateway", async () => {
  const sandbox = await makeSandbox(world);
  (await RuntimePeer.welcome(world, one.gateway, sandbox)).close();
  const previous = { spec: { holderIdentity: "one", leaseDurationSeconds: 90 } };
  await sandbox.changeLease(previous);
  const peer = await RuntimePeer.welcome(world, other.gateway, sandbox);
  const lease = await sandbox.lease();
  expect(lease?.spec.holderIdentity).toMatch(/^other_/);
  expect(lease?.spec).not.toHaveProperty("leaseDurationSeconds");
  peer.close();
});
