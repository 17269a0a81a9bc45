import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { closeCodes, protocolTimes } from "../../../src/api/runtime/limits.ts";
import { sandboxPath } from "../../../src/api/runtime/pod-contract.ts";
import { testCluster } from "../../support/cluster.ts";
import { type Fault, type FaultProxy, type SeenRequest, startFaultProxy } from "../../support/fault-proxy.ts";
import type { Connection } from "../../support/kube.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { gatewayConnection, passAlive, startTestGateway, type TestGateway } from "../../support/runtime-gateway.ts";
import { RuntimePeer, tryUpgrade } from "../../support/runtime-peer.ts";
import { eventually, makeSandbox, makeWorld, type World } from "../../support/runtime-world.ts";

let world: World;
let proxy: FaultProxy;
let gateway: TestGateway;
const clock = new MovableClock();
/** Requests that the test had fail so far. */
let failed = 0;
let kube: Connection;

beforeAll(async () => {
  world = await makeWorld();
  proxy = await startFaultProxy(testCluster());
  kube = await gatewayConnection(world, proxy);
  gateway = await startTestGateway(world, kube.client, { clock });
  await eventually("gateway ready", () => gateway.notReadyBecause() === undefined);
});
afterEach(() => {
  proxy.decide(undefined);
  clock.run();
});
afterAll(async () => {
  await gateway.close();
  await kube.close();
  await proxy.close();
  await world.close();
});

const faults: { name: string; fault: Fault }[] = [
  { name: "an error of the server", fault: { kind: "answer", status: 500 } },
  { name: "too many requests", fault: { kind: "answer", status: 429, reason: "TooManyRequests" } },
  { name: "no right", fault: { kind: "answer", status: 403, reason: "Forbidden" } },
  { name: "a connection that breaks", fault: { kind: "refuse" } },
  { name: "a lost answer", fault: { kind: "lose" } },
];

const writes =
  (resource: string) =>
  ({ isWrite, path }: SeenRequest): boolean =>
    isWrite && path.includes(`/${resource}`) && !path.includes("/leases/gateway-");

/** Applies a fault to the next requests of a kind; what is left of it ends with the test. */
function failNext(times: number, matches: (request: SeenRequest) => boolean, fault: Fault): void {
  let left = times;
  failed = 0;
  proxy.decide((request) => {
    if (left === 0 || !matches(request)) return undefined;
    left -= 1;
    failed += 1;
    return fault;
  });
}

describe.each(faults)("$name", ({ fault }) => {
  it("of a TokenReview asks the runtime to come back", async () => {
    const sandbox = await makeSandbox(world);
    const token = await sandbox.token();
    const url = gateway.sandboxUrl + sandboxPath(sandbox.sessionUid, 1);
    failNext(1, writes("tokenreviews"), fault);
    expect(await tryUpgrade(url, world.ca, token)).toMatchObject({ status: 503 });
    await eventually("let in", async () =>
      (await tryUpgrade(url, world.ca, token)).status === 101 ? true : undefined,
    );
  });

  it("of the first Lease asks the runtime to come back, and the next time it is there", async () => {
    const sandbox = await makeSandbox(world);
    const peer = await RuntimePeer.connect(world, gateway, sandbox);
    failNext(1, writes("leases"), fault);
    peer.send({ type: "hello", protocol: 1, needsBundle: true, openPrompts: [] });
    expect(await peer.closed).toBe(closeCodes.tryAgain);
    (await RuntimePeer.welcome(world, gateway, sandbox)).close();
    expect(await sandbox.lease()).toMatchObject({
      spec: { holderIdentity: expect.stringMatching(/^gateway-a_/) as unknown },
    });
  });

  it("of the note that a runtime is silent is tried again", async () => {
    const sandbox = await makeSandbox(world);
    const peer = await RuntimePeer.welcome(world, gateway, sandbox);
    // Runtimes of other tests fall silent at the same time.
    const itsLease = writes(`leases/${sandbox.sessionUid}`);
    // However slow the machine is, the gateway's own Lease does not lapse before the notes are tried again.
    clock.stop();
    await passAlive(world, clock, protocolTimes.silenceMs - 5_000);
    failNext(1, itsLease, fault);
    clock.move(5_000);
    await eventually("the note failed", () => failed === 1);
    await passAlive(world, clock, 5_000);
    await sandbox.noted("silent-since");
    failNext(1, itsLease, fault);
    peer.send({ type: "heartbeat" });
    await eventually("the next note failed", () => failed === 1);
    await passAlive(world, clock, 5_000);
    expect((await sandbox.lease())?.metadata.annotations).not.toHaveProperty(["runwright.dev/silent-since"]);
    peer.close();
  });

  it("of a report is tried again until it is stored, and acknowledged only then", async () => {
    const sandbox = await makeSandbox(world);
    const peer = await RuntimePeer.welcome(world, gateway, sandbox);
    failNext(2, writes("leases"), fault);
    peer.send({ type: "ready", seq: 1 });
    await peer.next("ack");
    expect((await sandbox.lease())?.metadata.annotations).toHaveProperty(["runwright.dev/ready-time"]);
    peer.close();
  });

  it("of a verdict is tried again until it is stored, once", async () => {
    const sandbox = await makeSandbox(world);
    const peer = await RuntimePeer.welcome(world, gateway, sandbox);
    const prompt = await sandbox.prompt("x");
    await peer.next("prompt");
    failNext(2, writes("prompts"), fault);
    peer.send({ type: "promptFinished", seq: 1, outcome: { prompt, verdict: "succeeded", summary: "done" } });
    await peer.next("ack");
    const { status } = await sandbox.readPrompt(prompt.name);
    expect(status).toMatchObject({ conditions: [{ status: "True" }], result: { summary: "done" } });
    expect(status).not.toHaveProperty("lateResult");
    peer.close();
  });

  it("of reading a prompt delays it", async () => {
    const sandbox = await makeSandbox(world);
    const peer = await RuntimePeer.welcome(world, gateway, sandbox);
    const reads = ({ isWrite, path }: SeenRequest): boolean => !isWrite && path.includes(`/prompts/${sandbox.session}`);
    // A read on a broken connection is repeated by the client at once.
    failNext(2, reads, fault);
    const prompt = await sandbox.prompt("late but sure");
    expect(await peer.next("prompt")).toMatchObject({ prompt, text: "late but sure" });
    peer.close();
  });
});

it("settles a prompt that changed between reading and writing", async () => {
  const sandbox = await makeSandbox(world);
  const peer = await RuntimePeer.welcome(world, gateway, sandbox);
  const prompt = await sandbox.prompt("x");
  await peer.next("prompt");
  let changed = false;
  proxy.decide(async (request) => {
    if (changed || !writes("prompts")(request)) return undefined;
    changed = true;
    await sandbox.settle(prompt.name, "ExecutionTimeout");
    return undefined;
  });
  peer.send({ type: "promptFinished", seq: 1, outcome: { prompt, verdict: "succeeded", summary: "a moment late" } });
  await peer.next("ack");
  expect((await sandbox.readPrompt(prompt.name)).status).toMatchObject({
    conditions: [{ status: "False", reason: "ExecutionTimeout" }],
    lateResult: { summary: "a moment late" },
  });
  peer.close();
});

it("follows sessions again after their watch was broken, and drops no connection for it", async () => {
  const sandbox = await makeSandbox(world);
  const peer = await RuntimePeer.welcome(world, gateway, sandbox);
  for (const how of ["reset", "halfClose", "expired"] as const) {
    proxy.breakWatches(how);
    const prompt = await sandbox.prompt(`after ${how}`);
    expect(await peer.next("prompt")).toMatchObject({ prompt });
    peer.send({ type: "promptFinished", seq: peer.acknowledged + 1, outcome: { prompt, verdict: "succeeded" } });
    await peer.next("ack");
  }
  peer.close();
});
