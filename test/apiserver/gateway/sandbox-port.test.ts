import { randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { closeCodes, protocolLimits } from "../../../src/api/runtime/limits.ts";
import { peopleAudience } from "../../../src/api/runtime/pod-contract.ts";
import { PromptStatus } from "../../../src/api/v1alpha1/prompt.ts";
import { mostRefused } from "../../../src/api/runtime/refused-from-agent.ts";
import type { RefusalReason } from "../../../src/gateway/metrics/refusals.ts";
import { type GatewayWorld, openGatewayWorld, type TestGateway } from "../../support/runtime-gateway.ts";
import { RuntimePeer, tryUpgrade } from "../../support/runtime-peer.ts";
import { eventually, find, makePod, makeSandbox, requestToken, type World } from "../../support/runtime-world.ts";

let world: World;
let gateway: TestGateway;
let opened: GatewayWorld;

beforeAll(async () => {
  opened = await openGatewayWorld();
  ({ world, gateway } = opened);
});

afterAll(async () => {
  await opened.close();
});

const upgrade = (path: string, token: string | undefined): ReturnType<typeof tryUpgrade> =>
  tryUpgrade(gateway.sandboxUrl + path, world.ca, token);

const pathOf = (uid: string, attempt: number): string => `/sandbox/v1/sessions/${uid}/attempts/${attempt}`;

/** How often the gateway has refused something for this reason. */
const refused = (reason: RefusalReason): Promise<number> => counted("refusals_total", reason);
const ignoredOf = (what: string): Promise<number> => counted("ignored_total", what);

async function counted(name: string, label: string): Promise<number> {
  const metric = await gateway.registry.getSingleMetric(`runwright_gateway_sandbox_${name}`)?.get();
  return metric?.values.find(({ labels }) => Object.values(labels).includes(label))?.value ?? Number.NaN;
}

/** Waits until the gateway's watch has brought what the test just wrote. */
async function answers(path: string, token: string, status: number): Promise<unknown> {
  return eventually(`${path} is answered ${status}`, async () => {
    const answer = await upgrade(path, token);
    return answer.status === status ? answer.body : undefined;
  });
}

function openedOrClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket
      .on("error", () => undefined)
      .once("connect", resolve)
      .once("close", () => resolve());
  });
}

describe("who is let in", () => {
  it("lets runtimes in while every address of another tenant has all connections and failures that it gets", async () => {
    const sandbox = await makeSandbox(world);
    const token = await sandbox.token();
    await answers(pathOf(sandbox.sessionUid, 1), token, 101);
    // Connections come faster than they may, too.
    const droppedInAll = async (): Promise<number> =>
      (await refused("TooManyConnections")) + (await refused("SlowedDown"));
    const dropped = await droppedInAll();
    const { port } = new URL(gateway.sandboxUrl);
    const silent: Socket[] = [];
    try {
      for (let address = 2; address < 18; address += 1) {
        // No more at once than wait to be accepted: the kernel loses others, of which the gateway never hears.
        const ofAddress = Array.from({ length: 257 }, () =>
          connect({ port: Number(port), localAddress: `127.0.0.${address}`, host: "127.0.0.1" }),
        );
        silent.push(...ofAddress);
        await Promise.all(ofAddress.map(openedOrClosed));
      }
      await eventually("places were refused", async () => (await droppedInAll()) > dropped + 1_000);
      const slowed = await refused("SlowedDown");
      for (const socket of silent.splice(0, 257)) socket.write("this is no TLS, and a failure");
      await eventually("failures slow it down", async () => {
        const another = connect({ port: Number(port), localAddress: "127.0.0.2", host: "127.0.0.1" });
        silent.push(another.on("error", () => undefined));
        another.write("this is no TLS either");
        return (await refused("SlowedDown")) > slowed;
      });
      await answers(pathOf(sandbox.sessionUid, 1), token, 101);
    } finally {
      for (const socket of silent) socket.destroy();
    }
  });

  it("lets the recorded pod in", async () => {
    const sandbox = await makeSandbox(world);
    await answers(pathOf(sandbox.sessionUid, 1), await sandbox.token(), 101);
  });

  it("asks a sandbox that connects again and again to come back, and lets others in", async () => {
    const [hostile, other] = [await makeSandbox(world), await makeSandbox(world)];
    const [path, token] = [pathOf(hostile.sessionUid, 1), await hostile.token()];
    await answers(path, token, 101);
    let last = await upgrade(path, token);
    for (let times = 0; times < 2_000 && last.status !== 503; times += 1) last = await upgrade(path, token);
    expect(last).toMatchObject({ status: 503, body: { code: "Busy" } });
    await answers(pathOf(other.sessionUid, 1), await other.token(), 101);
  });

  it("refuses another pod of the same ServiceAccount for good and gives it nothing", async () => {
    const sandbox = await makeSandbox(world);
    const path = pathOf(sandbox.sessionUid, 1);
    await answers(path, await sandbox.token(), 101);
    const stranger = await makePod(world, `stranger-${randomUUID().slice(0, 8)}`);
    const token = await requestToken(world, stranger, `runwright-sandbox.${world.release.namespace}.runwright`);
    const before = await refused("NotThisPod");
    expect(await upgrade(path, token)).toMatchObject({ status: 403, body: { code: "NotThisPod" } });
    expect(await refused("NotThisPod")).toBe(before + 1);
    expect(await sandbox.lease()).toBeUndefined();
  });

  it("asks a pod that is ahead of the status to come back, and lets it in when it is recorded", async () => {
    const sandbox = await makeSandbox(world, { recorded: false });
    const path = pathOf(sandbox.sessionUid, 1);
    const token = await sandbox.token();
    await answers(path, token, 503);
    await sandbox.record();
    await answers(path, token, 101);
  });

  it("asks a session that it does not know to come back", async () => {
    const sandbox = await makeSandbox(world);
    const answer = await upgrade(pathOf(randomUUID(), 1), await sandbox.token());
    expect(answer).toMatchObject({ status: 503, body: { code: "SessionUnknown" } });
  });

  it("asks an attempt that the status does not show yet to come back", async () => {
    const sandbox = await makeSandbox(world);
    await answers(pathOf(sandbox.sessionUid, 2), await sandbox.token(), 503);
  });

  it("sends an attempt away for good that has ended or has a successor", async () => {
    const sandbox = await makeSandbox(world, { attempt: 2 });
    const token = await sandbox.token();
    await answers(pathOf(sandbox.sessionUid, 1), token, 410);
    await sandbox.status({ sandbox: { endTime: new Date().toISOString() } });
    const before = await refused("AttemptOver");
    expect(await answers(pathOf(sandbox.sessionUid, 2), token, 410)).toMatchObject({ code: "AttemptOver" });
    expect(await refused("AttemptOver")).toBe(before + 1);
  });

  it("takes no token but a pod's own for the sandbox port", async () => {
    const sandbox = await makeSandbox(world);
    const path = pathOf(sandbox.sessionUid, 1);
    await answers(path, await sandbox.token(), 101);
    const audience = `runwright-sandbox.${world.release.namespace}.runwright`;
    const wrong = {
      nonsense: "nonsense",
      people: await sandbox.token(peopleAudience(world.release)),
      otherRelease: await sandbox.token(`runwright-sandbox.${world.release.namespace}.other`),
      unbound: await requestToken(world, undefined, audience),
      apiServer: await requestToken(world, undefined, undefined),
    };
    const before = await refused("TokenNotAccepted");
    for (const [name, token] of Object.entries(wrong)) {
      expect(await upgrade(path, token), name).toMatchObject({ status: 503, body: { code: "TokenNotAccepted" } });
    }
    expect(await refused("TokenNotAccepted")).toBe(before + Object.keys(wrong).length);
    const without = await refused("Unauthorized");
    expect(await upgrade(path, undefined)).toMatchObject({ status: 401 });
    expect(await refused("Unauthorized")).toBe(without + 1);
  });

  it.each([
    "/",
    "/sandbox/v1/sessions/x/attempts/0",
    "/sandbox/v1/sessions/../attempts/1",
    "/sandbox/v1/sessions/a/attempts/1?x=1",
  ])("knows no path %s", async (path) => {
    expect(await upgrade(path, "any")).toMatchObject({ status: 404 });
  });
});

describe("a connection", () => {
  it("gets the bundle only when it asks, and the Lease when it connects", async () => {
    const sandbox = await makeSandbox(world, { bundle: { environment: { A: "1" } } });
    const first = await RuntimePeer.connect(world, gateway, sandbox);
    first.send({ type: "hello", protocol: 1, needsBundle: true, openPrompts: [] });
    expect(await first.next("bundle")).toMatchObject({ bundle: { environment: { A: "1" } } });
    expect(await sandbox.lease()).toMatchObject({
      spec: { holderIdentity: expect.stringMatching(/^gateway-a_/) as unknown },
    });
    first.close();
    const second = await RuntimePeer.connect(world, gateway, sandbox);
    second.send({ type: "hello", protocol: 1, needsBundle: false, openPrompts: [] });
    await second.next("welcome");
    const prompt = await sandbox.prompt("x");
    await second.next("prompt");
    expect(second.heard.map(({ type }) => type)).toEqual(["welcome", "prompt"]);
    second.send({ type: "promptFinished", seq: 1, outcome: { prompt, verdict: "succeeded" } });
    await second.next("ack");
    second.close();
  });

  it("is replaced by a newer one of the same attempt", async () => {
    const sandbox = await makeSandbox(world);
    const older = await RuntimePeer.welcome(world, gateway, sandbox);
    const newer = await RuntimePeer.welcome(world, gateway, sandbox);
    expect(await older.closed).toBe(closeCodes.replaced);
    const prompt = await sandbox.prompt("for the newer one");
    expect(await newer.next("prompt")).toMatchObject({ prompt, text: "for the newer one" });
    newer.close();
  });

  it("is asked to come back while its bundle is missing or another's", async () => {
    const sandbox = await makeSandbox(world, {
      bundle: { session: { namespace: "x", name: "y", uid: "z", attempt: 1 } },
    });
    const peer = await RuntimePeer.connect(world, gateway, sandbox);
    peer.send({ type: "hello", protocol: 1, needsBundle: true, openPrompts: [] });
    expect(await peer.closed).toBe(closeCodes.tryAgain);
    expect(peer.heard).toEqual([]);
  });

  it("notes ready and boot failure once each", async () => {
    const sandbox = await makeSandbox(world);
    const peer = await RuntimePeer.welcome(world, gateway, sandbox);
    const failure = { phase: "clone", reason: "CloneFailed", message: "no" } as const;
    peer.send({ type: "ready", seq: 1 });
    peer.send({ type: "bootFailed", seq: 2, failure });
    peer.send({ type: "bootFailed", seq: 3, failure: { ...failure, message: "again" } });
    await eventually("acknowledged", () => (peer.acknowledged === 3 ? true : undefined));
    const notes = (await sandbox.lease())?.metadata.annotations;
    expect(notes?.["runwright.dev/ready-time"]).toMatch(/^\d{4}-/);
    expect(JSON.parse(notes?.["runwright.dev/boot-failure"] ?? "")).toEqual(failure);
    peer.close();
  });

  it("notes once how a build went: of two reports the first counts, however often it comes", async () => {
    const sandbox = await makeSandbox(world);
    const peer = await RuntimePeer.welcome(world, gateway, sandbox);
    const commits = [{ repository: "web", commit: "a".repeat(40) }];
    const note = { result: "Built", commits, runtimeVersion: 1, architecture: "amd64" } as const;
    const files = { secretFiles: [], secretFileCount: 0 };
    peer.send({ type: "built", seq: 1, note: { ...note, ...files } });
    peer.send({ type: "built", seq: 1, note: { ...note, ...files } });
    peer.send({ type: "built", seq: 2, note: { ...note, ...files, commits: [] } });
    await eventually("acknowledged", () => (peer.acknowledged === 2 ? true : undefined));
    const notes = (await sandbox.lease())?.metadata.annotations;
    expect(JSON.parse(notes?.["runwright.dev/built"] ?? "")).toMatchObject(note);
    peer.close();
  });

  it("keeps a sandbox ready whose Lease was deleted", async () => {
    const sandbox = await makeSandbox(world);
    const peer = await RuntimePeer.welcome(world, gateway, sandbox);
    peer.send({ type: "ready", seq: 1 });
    await peer.next("ack");
    await sandbox.removeLease();
    peer.send({ type: "bootFailed", seq: 2, failure: { phase: "agent", reason: "X", message: "late" } });
    expect(await peer.closed).toBe(closeCodes.tryAgain);
    const again = await RuntimePeer.connect(world, gateway, sandbox);
    again.send({ type: "hello", protocol: 1, needsBundle: false, isReady: true, openPrompts: [] });
    await again.next("welcome");
    expect((await sandbox.lease())?.metadata.annotations).toHaveProperty(["runwright.dev/ready-time"]);
    again.close();
  });

  it("gets the end when the session is deleted", async () => {
    const sandbox = await makeSandbox(world);
    const peer = await RuntimePeer.welcome(world, gateway, sandbox);
    await sandbox.remove();
    expect(await peer.next("shutdown")).toMatchObject({ reason: "SessionDeleted" });
    peer.close();
  });

  it("has to cancel a prompt that the controller settled", async () => {
    const sandbox = await makeSandbox(world);
    const peer = await RuntimePeer.welcome(world, gateway, sandbox);
    const prompt = await sandbox.prompt("long");
    await peer.next("prompt");
    await sandbox.settle(prompt.name, "ExecutionTimeout");
    await sandbox.status({ currentPrompt: null });
    expect(await peer.next("cancel")).toMatchObject({ promptUid: prompt.uid });
    peer.send({ type: "promptFinished", seq: 1, outcome: { prompt, verdict: "cancelled" } });
    await peer.next("ack");
    const stored = await sandbox.readPrompt(prompt.name);
    expect(stored.status).toMatchObject({ conditions: [{ reason: "ExecutionTimeout" }] });
    expect(stored.status).not.toHaveProperty("lateResult");
    peer.close();
  });

  it.each([
    { verdict: "cancelled", want: undefined },
    { verdict: "succeeded", want: "Completed" },
  ] as const)("while the workspace is saved, its word that a prompt has $verdict makes it $want", async (one) => {
    const sandbox = await makeSandbox(world);
    const peer = await RuntimePeer.welcome(world, gateway, sandbox);
    const prompt = await sandbox.prompt("long");
    await peer.next("prompt");
    await sandbox.status({ sandbox: { snapshotTime: new Date().toISOString() } });
    peer.send({ type: "promptFinished", seq: 1, outcome: { prompt, verdict: one.verdict } });
    await peer.next("ack");
    const { conditions = [] } = PromptStatus.parse((await sandbox.readPrompt(prompt.name)).status ?? {});
    expect(conditions.find(({ type }) => type === "Succeeded")?.reason).toBe(one.want);
    peer.close();
  });

  it("does not cancel an open prompt of which its own view is merely late", async () => {
    const sandbox = await makeSandbox(world);
    const prompt = await sandbox.prompt("still going");
    await sandbox.status({ currentPrompt: null });
    const peer = await RuntimePeer.connect(world, gateway, sandbox);
    peer.send({ type: "hello", protocol: 1, needsBundle: false, openPrompts: [prompt] });
    await peer.next("welcome");
    await sandbox.status({
      currentPrompt: { ...prompt, startTime: new Date().toISOString(), deadline: new Date().toISOString() },
    });
    peer.send({ type: "promptFinished", seq: 1, outcome: { prompt, verdict: "succeeded" } });
    await peer.next("ack");
    expect(peer.heard.map(({ type }) => type)).toEqual(["welcome", "ack"]);
    expect((await sandbox.readPrompt(prompt.name)).status).toMatchObject({ conditions: [{ reason: "Completed" }] });
    peer.close();
  });
});

describe("a prompt's outcome", () => {
  it("is stored cleaned and bounded", async () => {
    const sandbox = await makeSandbox(world);
    const peer = await RuntimePeer.welcome(world, gateway, sandbox);
    const prompt = await sandbox.prompt("x");
    await peer.next("prompt");
    const outcome = {
      prompt,
      verdict: "failed",
      message: "bad\u0000\u001b[31m news",
      summary: `\u202e${"𝄞".repeat(5000)}`.slice(0, 8192),
      branch: "no such..branch",
      commit: "HEAD",
    };
    peer.send({ type: "promptFinished", seq: 1, outcome });
    await peer.next("ack");
    const { status } = await sandbox.readPrompt(prompt.name);
    expect(status).toMatchObject({
      conditions: [
        { type: "Succeeded", status: "False", reason: "Failed", message: "bad news" },
        { type: "Stalled", status: "True" },
      ],
    });
    // 4,095 whole characters and what is left of one that was sent in half.
    const { summary } = status!.result as { summary: string };
    expect(summary === `${"𝄞".repeat(4095)}\ufffd`).toBe(true);
    expect(status?.result).not.toHaveProperty("branch");
    expect(status?.result).not.toHaveProperty("commit");
    peer.close();
  });

  it("is stored once, however often it is said, and later words change nothing", async () => {
    const sandbox = await makeSandbox(world);
    const prompt = await sandbox.prompt("x");
    const outcome = { prompt, verdict: "succeeded", summary: "done" };
    const first = await RuntimePeer.welcome(world, gateway, sandbox);
    first.send({ type: "promptFinished", seq: 1, outcome });
    first.send({ type: "promptFinished", seq: 1, outcome });
    await first.next("ack");
    const { resourceVersion } = (await sandbox.readPrompt(prompt.name)).metadata;
    first.close();
    const second = await RuntimePeer.welcome(world, gateway, sandbox);
    second.send({ type: "promptFinished", seq: 1, outcome });
    second.send({ type: "promptFinished", seq: 2, outcome });
    await eventually("acknowledged", () => (second.acknowledged === 2 ? true : undefined));
    expect((await sandbox.readPrompt(prompt.name)).metadata.resourceVersion).toBe(resourceVersion);
    second.close();
  });

  it("that comes after the controller's verdict is a note", async () => {
    const sandbox = await makeSandbox(world);
    const peer = await RuntimePeer.welcome(world, gateway, sandbox);
    const prompt = await sandbox.prompt("x");
    await peer.next("prompt");
    await sandbox.settle(prompt.name, "ExecutionTimeout");
    peer.send({ type: "promptFinished", seq: 1, outcome: { prompt, verdict: "succeeded", summary: "too late" } });
    await peer.next("ack");
    expect((await sandbox.readPrompt(prompt.name)).status).toMatchObject({
      conditions: [{ status: "False", reason: "ExecutionTimeout" }],
      lateResult: { summary: "too late" },
    });
    peer.close();
  });

  it("cannot be given for another session's prompt, one that is not current, or one that is not there", async () => {
    const [mine, other] = [await makeSandbox(world), await makeSandbox(world)];
    const foreign = await other.prompt("theirs");
    const ended = await other.prompt("theirs, ended");
    await other.settle(ended.name, "ExecutionTimeout");
    const waiting = await mine.prompt("waiting");
    const current = await mine.prompt("current");
    const peer = await RuntimePeer.welcome(world, gateway, mine);
    const forged = [
      foreign,
      ended,
      waiting,
      { name: waiting.name, uid: foreign.uid },
      { name: waiting.name, uid: current.uid },
      { name: foreign.name, uid: current.uid },
      { name: current.name, uid: waiting.uid },
      { name: "none", uid: randomUUID() },
      { name: "../secrets", uid: randomUUID() },
    ];
    forged.forEach((prompt, index) =>
      peer.send({
        type: "promptFinished",
        seq: index + 1,
        outcome: { prompt, verdict: "succeeded", summary: "forged" },
      }),
    );
    await eventually("acknowledged", () => (peer.acknowledged === forged.length ? true : undefined));
    expect((await other.readPrompt(foreign.name)).status).not.toHaveProperty("conditions");
    expect((await other.readPrompt(ended.name)).status).not.toHaveProperty("lateResult");
    expect((await mine.readPrompt(waiting.name)).status).not.toHaveProperty("conditions");
    expect((await mine.readPrompt(current.name)).status).not.toHaveProperty("conditions");
    peer.close();
  });

  it.each([
    { name: "has a successor", sandbox: { attempt: 2, podUID: randomUUID() } },
    { name: "has ended", sandbox: { endTime: new Date().toISOString() } },
  ])("of an attempt that $name is not taken", async ({ sandbox: over }) => {
    const sandbox = await makeSandbox(world);
    const peer = await RuntimePeer.welcome(world, gateway, sandbox);
    const prompt = await sandbox.prompt("x");
    await peer.next("prompt");
    await sandbox.status({ sandbox: over });
    peer.send({ type: "promptFinished", seq: 1, outcome: { prompt, verdict: "succeeded" } });
    await eventually("acknowledged", () => (peer.acknowledged === 1 ? true : undefined));
    await peer.next("shutdown");
    expect((await sandbox.readPrompt(prompt.name)).status).not.toHaveProperty("conditions");
    peer.close();
  });
});

it("says when the workspace begins to be saved, and when that goes on no more", async () => {
  const sandbox = await makeSandbox(world);
  const peer = await RuntimePeer.welcome(world, gateway, sandbox);
  await sandbox.status({ sandbox: { snapshotTime: new Date().toISOString() } });
  expect(await peer.next("saving")).toEqual({ type: "saving", goesOn: true });
  await sandbox.status({ sandbox: { snapshotTime: null } });
  expect(await peer.next("saving")).toEqual({ type: "saving", goesOn: false });
  peer.close();
});

describe("bad messages", () => {
  const malformed = { code: closeCodes.malformed, reason: "Malformed" } as const;
  const flooding = { code: closeCodes.flooding, reason: "Flooding" } as const;
  const tooLarge = { code: 1009, reason: "TooLarge" } as const;
  const hello = { type: "hello", protocol: 1, needsBundle: false, openPrompts: [] };
  it.each([
    { name: "text that is no JSON", frames: ["{"], want: malformed },
    { name: "a binary frame", frames: [Buffer.from([1, 2, 3])], want: malformed },
    { name: "an unknown type before the hello", frames: [{ type: "whatever" }], want: malformed },
    { name: "another protocol", frames: [{ ...hello, protocol: 2 }], want: malformed },
    { name: "a report before the hello", frames: [{ type: "ready", seq: 1 }], want: malformed },
    { name: "a second hello", frames: [hello, hello], want: malformed },
    { name: "a number that is none", frames: [hello, { type: "ready", seq: -1 }], want: malformed },
    {
      name: "too long a text",
      frames: [
        hello,
        { type: "bootFailed", seq: 1, failure: { phase: "clone", reason: "x", message: "x".repeat(1025) } },
      ],
      want: malformed,
    },
    {
      name: "more refusals than a report may say",
      frames: [hello, { type: "heartbeat", refused: { malformed: mostRefused + 1 } }],
      want: malformed,
    },
    { name: "a frame above the limit", frames: ["x".repeat(protocolLimits.runtimeFrameBytes + 1)], want: tooLarge },
    {
      name: "a frame at the limit that is no JSON",
      frames: ["x".repeat(protocolLimits.runtimeFrameBytes)],
      want: malformed,
    },
    {
      name: "a flood",
      frames: [hello, ...Array.from({ length: 600 }, () => ({ type: "heartbeat" }))],
      want: flooding,
    },
  ])("closes on $name, counts it and serves on", async ({ frames, want }) => {
    const before = await refused(want.reason);
    const sandbox = await makeSandbox(world);
    const peer = await RuntimePeer.connect(world, gateway, sandbox);
    for (const frame of frames) peer.sendRaw(frame);
    expect(await peer.closed).toBe(want.code);
    expect(await refused(want.reason)).toBe(before + 1);
    const again = await RuntimePeer.welcome(world, gateway, sandbox);
    again.close();
  });
});

it.each([
  { name: "a message in two parts", send: (peer: RuntimePeer) => peer.sendInParts("{", "}"), code: 1_008 },
  { name: "600 pings", send: (peer: RuntimePeer) => peer.pingOften(600), code: closeCodes.flooding },
])("closes on $name, counts it as a flood and serves on", async ({ send, code }) => {
  const before = await refused("Flooding");
  const sandbox = await makeSandbox(world);
  const peer = await RuntimePeer.connect(world, gateway, sandbox);
  send(peer);
  expect(await peer.closed).toBe(code);
  expect(await refused("Flooding")).toBe(before + 1);
  const again = await RuntimePeer.welcome(world, gateway, sandbox);
  again.close();
});

it("ignores and counts what a newer runtime says, and what an older one says to have ignored", async () => {
  const ignored = (): Promise<number[]> => Promise.all(["message", "field", "order", "orderField"].map(ignoredOf));
  const [messages = 0, fields = 0, orders = 0, orderFields = 0] = await ignored();
  const peer = await RuntimePeer.welcome(world, gateway, await makeSandbox(world));
  peer.send({ type: "mood", of: "agent" });
  peer.send({ type: "event", seq: 1, event: { kind: "mood" } });
  peer.send({ type: "ready", seq: 2, since: "now" });
  peer.send({ type: "mood", seq: 3 });
  peer.send({ type: "heartbeat", ignored: 2, ignoredFields: 3 });
  await eventually("acknowledged", () => (peer.acknowledged === 3 ? true : undefined));
  await eventually("counted", async () => ((await ignoredOf("order")) > orders ? true : undefined));
  expect(await ignored()).toEqual([messages + 3, fields + 1, orders + 2, orderFields + 3]);
  peer.close();
});

describe("what a sandbox has cost", () => {
  it("is on its Lease once the connection ends, the highest of what was reported", async () => {
    const sandbox = await makeSandbox(world);
    const peer = await RuntimePeer.connect(world, gateway, sandbox);
    peer.send({ type: "hello", protocol: 1, needsBundle: false, openPrompts: [] });
    expect(await peer.next("welcome")).toMatchObject({ accepts: ["usage"] });
    for (const costUsd of [0.25, 0.75, 0.5]) peer.send({ type: "usage", costUsd });
    // Answered in order: this one was received after them.
    peer.send({ type: "ready", seq: 1 });
    await eventually("acknowledged", () => (peer.acknowledged === 1 ? true : undefined));
    peer.close();
    expect(await sandbox.noted("cost-usd")).toBe("0.75");
  });

  it("is kept of a prompt that had ended before, on the Prompt and on the Lease", async () => {
    const sandbox = await makeSandbox(world);
    const peer = await RuntimePeer.welcome(world, gateway, sandbox);
    const prompt = await sandbox.prompt("x");
    await peer.next("prompt");
    await sandbox.settle(prompt.name, "ExecutionTimeout");
    const usage = { costUsd: 0.5, sandboxCostUsd: 0.75 };
    peer.send({ type: "promptFinished", seq: 1, outcome: { prompt, verdict: "cancelled", usage } });
    expect(await sandbox.noted("cost-usd")).toBe("0.75");
    expect((await sandbox.readPrompt(prompt.name)).status).toMatchObject({
      usage: { costUsd: "0.5", sandboxCostUsd: "0.75" },
      conditions: [{ reason: "ExecutionTimeout" }],
    });
    peer.close();
  });
});

it("counts what a runtime says to have refused of its agent", async () => {
  const before = [await refused("AgentMalformed"), await refused("AgentImpersonated")] as const;
  const peer = await RuntimePeer.welcome(world, gateway, await makeSandbox(world));
  peer.send({ type: "heartbeat", refused: { malformed: 2, secondAgent: 1 } });
  peer.send({ type: "heartbeat" });
  peer.send({ type: "ready", seq: 1 });
  await peer.next("ack");
  expect([await refused("AgentMalformed"), await refused("AgentImpersonated")]).toEqual([before[0] + 2, before[1] + 1]);
  peer.close();
});

it("shows by its own Lease that it is there", async () => {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${world.release.namespace}/leases/gateway-gateway-a`;
  const lease = await eventually("own Lease", () => find(path));
  expect(lease).toMatchObject({
    metadata: { labels: { "runwright.dev/component": "gateway" } },
    spec: { holderIdentity: expect.stringMatching(/^gateway-a_[0-9a-f]{8}$/) as unknown, leaseDurationSeconds: 15 },
  });
});
