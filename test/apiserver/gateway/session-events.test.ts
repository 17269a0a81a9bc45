import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Agent } from "undici";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse, stringify } from "yaml";

import { PrebuiltImage } from "../../../src/api/v1alpha1/index.ts";
import { segmentKey, segmentLine } from "../../../src/gateway/events/segments.ts";
import { collectOnce, collectorTimes } from "../../../src/gateway/blobs/blob-collector.ts";
import { FakeClock } from "../../../src/lib/fake-clock.ts";
import { createLogger } from "../../../src/telemetry/logger.ts";
import { type CliResult, runPlugin } from "../../support/cli.ts";
import { testCluster } from "../../support/cluster.ts";
import { openDirectoryStore } from "../../support/directory-store.ts";
import { type OpenStream, openStream } from "../../support/event-stream.ts";
import { clientOf } from "../../support/kube.ts";
import { openPeopleWorld, ours, type PeopleWorld } from "../../support/people-world.ts";
import { gatewayConnection, startTestGateway, type TestGateway } from "../../support/runtime-gateway.ts";
import { RuntimePeer } from "../../support/runtime-peer.ts";
import { eventually, makeSandbox, type SandboxFixture } from "../../support/runtime-world.ts";

let people: PeopleWorld;
/** Another replica with the same blob store. */
let other: TestGateway;
let agent: Agent;
let token: string;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  people = await openPeopleWorld();
  const kube = await gatewayConnection(people.world);
  other = await startTestGateway(people.world, kube.client);
  await eventually("the other gateway is ready", () => other.notReadyBecause() === undefined || undefined);
  agent = new Agent({ connect: { ca: people.world.ca } });
  token = await people.caller([ours("sessions/log", "get")]);
  closers.push(
    () => agent.destroy(),
    () => other.close(),
    () => kube.close(),
    () => people.close(),
  );
});
afterAll(async () => {
  for (const close of closers) await close();
});

function idOf(sandbox: SandboxFixture): string {
  return `${people.world.tenant}.${sandbox.session}`;
}

function follow(sandbox: SandboxFixture, lastEventId?: string, gateway: TestGateway = other): Promise<OpenStream> {
  const url = `${gateway.peopleUrl}/sessions/${idOf(sandbox)}/events`;
  return openStream(agent, url, { token, ...(lastEventId === undefined ? {} : { lastEventId }) });
}

/** As a person with that token, at the other replica. */
function logsOf(sandbox: SandboxFixture, bearer: string, ...more: string[]): Promise<CliResult> {
  return run(bearer, "session", "logs", `${people.world.tenant}/${sandbox.session}`, ...more);
}

/** The plugin as a person with that token, at the other replica. */
async function run(bearer: string, ...argv: string[]): Promise<CliResult> {
  const { directory, ca } = people.world;
  const kubeconfig = join(directory, `person-${bearer.slice(-8)}`);
  const config = parse(await readFile(testCluster().kubeconfig, "utf8")) as { users: { user: object }[] };
  for (const entry of config.users) entry.user = { token: bearer };
  await writeFile(kubeconfig, stringify(config), { mode: 0o600 });
  const authority = join(directory, "people-ca.pem");
  await writeFile(authority, ca);
  const who = ["--kubeconfig", kubeconfig, "--kubeconfig-token"];
  const where = [...who, "--server", other.peopleUrl, "--certificate-authority", authority];
  return runPlugin([...argv, ...where]);
}

function output(seq: number, text: string): object {
  return { type: "event", seq, event: { kind: "output", source: "agent", stream: "stderr", text } };
}

function told(stream: OpenStream): string[] {
  return stream.events.map(({ id, event: { event } }) => `${id} ${event.kind === "output" ? event.text : event.kind}`);
}

async function toldAll(stream: OpenStream, count: number): Promise<string[]> {
  await eventually(`${count} events`, () => stream.events.length >= count);
  return told(stream);
}

it("come from any replica as they happen, and once each whatever is sent again", async () => {
  const sandbox = await makeSandbox(people.world);
  const stream = await follow(sandbox);
  const first = await RuntimePeer.welcome(people.world, people.gateway, sandbox);
  first.send(output(1, "one"));
  first.send({ type: "ready", seq: 2 });
  expect(await toldAll(stream, 2)).toEqual(["1.1 one", "1.2 ready"]);
  await eventually("both are acknowledged", () => first.acknowledged === 2);
  first.close();

  // As a runtime that never had the acknowledgements, at a replica that knows nothing.
  const second = await RuntimePeer.welcome(people.world, other, sandbox);
  for (const message of [output(1, "one"), { type: "ready", seq: 2 }, output(3, "three")]) second.send(message);
  await eventually("all are acknowledged", () => second.acknowledged === 3);
  second.close();
  expect(await toldAll(stream, 3)).toEqual(["1.1 one", "1.2 ready", "1.3 three"]);
  stream.close();
});

it("come from the beginning or behind any of them, until the session is finished", async () => {
  const sandbox = await makeSandbox(people.world);
  const prompt = await sandbox.prompt("Do it.");
  const peer = await RuntimePeer.welcome(people.world, people.gateway, sandbox);
  peer.send(output(1, "one"));
  const stream = await follow(sandbox);
  expect(await toldAll(stream, 1)).toEqual(["1.1 one"]);

  const outcome = { prompt, verdict: "failed", message: "the agent exited with status 1" };
  peer.send(output(2, "two"));
  peer.send({ type: "promptFinished", seq: 3, outcome });
  await eventually("the outcome is stored", async () => {
    const { status } = await sandbox.readPrompt(prompt.name);
    return status?.conditions !== undefined;
  });
  // Who sees the verdict finds everything that came before it.
  const now = await openStream(agent, `${other.peopleUrl}/sessions/${idOf(sandbox)}/events?follow=false`, { token });
  await now.ended;
  expect(told(now)).toEqual(["1.1 one", "1.2 two", "1.3 promptFinished"]);
  expect(now.events[2]?.event.event).toEqual({ kind: "promptFinished", ...outcome });

  await sandbox.status({ currentPrompt: null, sandbox: { endTime: new Date().toISOString(), endReason: "Idle" } });
  expect(await stream.ended).toBe(true);
  expect(told(stream)).toEqual(["1.1 one", "1.2 two", "1.3 promptFinished"]);
  const late = await follow(sandbox, "1.2");
  expect(await late.ended).toBe(true);
  expect(told(late)).toEqual(["1.3 promptFinished"]);
});

it("come without an id where an earlier sandbox's come late, so that a reader who goes on gets nothing twice", async () => {
  const sandbox = await makeSandbox(people.world, { attempt: 2 });
  const store = await openDirectoryStore(people.world.blobDirectory);
  const keep = async (attempt: number, seq: number): Promise<void> => {
    const event = {
      kind: "output" as const,
      source: "agent" as const,
      stream: "stdout" as const,
      text: `${attempt}.${seq}`,
    };
    const line = segmentLine({ attempt, seq, time: new Date().toISOString(), event });
    await store.put(segmentKey(sandbox.sessionUid, { attempt, seq }, "w"), line);
  };
  await keep(1, 1);
  await keep(2, 1);
  const stream = await follow(sandbox);
  expect(await toldAll(stream, 2)).toEqual(["1.1 1.1", "2.1 2.1"]);
  await keep(1, 2);
  await toldAll(stream, 3);
  await keep(2, 2);
  expect(await toldAll(stream, 4)).toEqual(["1.1 1.1", "2.1 2.1", " 1.2", "2.2 2.2"]);
  stream.close();
});

it("begin with the newest where last asks for few, and before has what is older, without a gap and without a double", async () => {
  const sandbox = await makeSandbox(people.world);
  const peer = await RuntimePeer.welcome(people.world, people.gateway, sandbox);
  const count = 20;
  for (let seq = 1; seq <= count; seq += 1) peer.send(output(seq, `${seq} ${"x".repeat(8_000)}`));
  await eventually("all are acknowledged", () => peer.acknowledged === count);
  const part = async (query: string): Promise<OpenStream> => {
    const url = `${other.peopleUrl}/sessions/${idOf(sandbox)}/events?${query}`;
    const stream = await openStream(agent, url, { token });
    expect(await stream.ended).toBe(true);
    return stream;
  };
  const ids: string[] = [];
  let stream = await part("follow=false&last=40000");
  let parts = 1;
  for (; stream.older !== undefined; parts += 1) {
    ids.unshift(...stream.events.map(({ id }) => id));
    expect(stream.events[0]?.id).toBe(stream.older);
    stream = await part(`last=40000&before=${stream.older}`);
  }
  ids.unshift(...stream.events.map(({ id }) => id));
  expect(ids).toEqual(Array.from({ length: count }, (_, index) => `1.${index + 1}`));
  expect(parts).toBeGreaterThan(2);

  const live = await openStream(agent, `${other.peopleUrl}/sessions/${idOf(sandbox)}/events?last=1`, { token });
  await eventually("it has begun", () => live.events.length > 0);
  peer.send(output(count + 1, "new"));
  await eventually("it goes on", () => live.events.at(-1)?.id === `1.${count + 1}`);
  live.close();
  const after = await openStream(agent, `${other.peopleUrl}/sessions/${idOf(sandbox)}/events?last=1&follow=false`, {
    token,
    lastEventId: "1.2",
  });
  await after.ended;
  expect([after.older, after.events.length]).toEqual([undefined, count - 1]);
});

it("end when the Session is deleted", async () => {
  const sandbox = await makeSandbox(people.world);
  const stream = await follow(sandbox, undefined, people.gateway);
  await sandbox.remove();
  expect(await stream.ended).toBe(true);
});

it("are deleted once the Session is gone, and not before", async () => {
  const [stays, goes] = [await makeSandbox(people.world), await makeSandbox(people.world)];
  const blobs = await openDirectoryStore(people.world.blobDirectory);
  for (const { sessionUid } of [stays, goes]) await blobs.put(`${sessionUid}/events/one`, Buffer.from("{}"));
  await goes.remove();
  const kube = await gatewayConnection(people.world);
  const later = new FakeClock(new Date(Date.now() + collectorTimes.youngMs + 60_000).toISOString());
  const logger = createLogger({ process: "gateway", level: "fatal" }, { write: () => undefined });
  // A cache that knows none of them: the API server is asked.
  const owners = { hasSynced: true, byUid: () => undefined, images: () => [] };
  const reads = { client: kube.client, blobs, owners, forgetOldEvents: () => Promise.resolve() };
  await collectOnce({ ...reads, clock: later, logger }, new AbortController().signal);
  await kube.close();
  expect(await blobs.get(`${goes.sessionUid}/events/one`)).toBeUndefined();
  const kept = await blobs.get(`${stays.sessionUid}/events/one`);
  kept?.content.destroy();
  expect(kept?.size).toBe(2);
});

it("wait while the store takes nothing, and results do not", async () => {
  const sandbox = await makeSandbox(people.world);
  const prompt = await sandbox.prompt("Do it.");
  const peer = await RuntimePeer.welcome(people.world, people.gateway, sandbox);
  // A file in the folder's place: nothing of this session can be stored.
  const store = await openDirectoryStore(people.world.blobDirectory);
  await store.put(`${sandbox.sessionUid}/events`, Buffer.from(""));
  peer.send(output(1, "one"));
  peer.send({ type: "promptFinished", seq: 2, outcome: { prompt, verdict: "succeeded" } });
  await eventually("the outcome is stored", async () => {
    const { status } = await sandbox.readPrompt(prompt.name);
    return status?.conditions !== undefined;
  });
  expect(peer.acknowledged).toBe(0);
  await rm(`${people.world.blobDirectory}/${sandbox.sessionUid}/events`);
  await eventually("both are acknowledged", () => peer.acknowledged === 2);
  const stream = await follow(sandbox);
  expect(await toldAll(stream, 2)).toEqual(["1.1 one", "1.2 promptFinished"]);
  stream.close();
});

it("are shown by kubectl runwright session logs: also what a failed agent said on standard error alone", async () => {
  const sandbox = await makeSandbox(people.world);
  const prompt = await sandbox.prompt("Do it.");
  const peer = await RuntimePeer.welcome(people.world, people.gateway, sandbox);
  const logs = logsOf(sandbox, token, "--follow");
  const outcome = { prompt, verdict: "failed", message: "the agent exited with status 1" };
  peer.send({ type: "event", seq: 1, event: { kind: "promptStarted", promptUid: prompt.uid } });
  peer.send(output(2, "no such model\n"));
  peer.send({ type: "promptFinished", seq: 3, outcome });
  await eventually("all are acknowledged", () => peer.acknowledged === 3);
  await sandbox.status({ currentPrompt: null, sandbox: { endTime: new Date().toISOString(), endReason: "Idle" } });
  const { status, out, err } = await logs;
  expect({ status, err }).toEqual({ status: 0, err: "" });
  expect(out.replaceAll(/\d\d:\d\d:\d\dZ/g, "T").split("\n")).toEqual([
    "# T sandbox 1",
    "# T a prompt begins",
    "no such model",
    `# T prompt ${prompt.name} has failed: the agent exited with status 1`,
    "",
  ]);
  const json = await logsOf(sandbox, token, "--output", "json");
  const lines = json.out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { seq: number });
  expect(lines.map(({ seq }) => seq)).toEqual([1, 2, 3]);

  const refused = await logsOf(sandbox, await people.caller([]));
  expect(refused).toMatchObject({ status: 1, out: "" });
  expect(refused.err).toContain("may not get sessions/log.runwright.dev");
});

it("are for those who may get sessions/log", async () => {
  const sandbox = await makeSandbox(people.world);
  const path = `/sessions/${idOf(sandbox)}/events?follow=false`;
  const sessionsOnly = await people.caller([ours("sessions", "get", "list")]);
  expect(await people.send(path, { token: "" })).toMatchObject({ status: 401 });
  expect(await people.send(path, { token: sessionsOnly })).toMatchObject({ status: 403, body: { code: "Forbidden" } });
  // Who may not look does not learn what there is.
  expect(await people.send("/sessions/other.none/events", { token })).toMatchObject({ status: 403 });
  expect(await people.send(`/sessions/${people.world.tenant}.none/events`, { token })).toMatchObject({ status: 404 });
  expect(await people.send("/sessions/none/events", { token })).toMatchObject({ status: 404 });
  expect(await people.send(path, { token, headers: { "last-event-id": "x" } })).toMatchObject({ status: 400 });
  expect(await people.send(path.replace("false", "no"), { token })).toMatchObject({ status: 400 });
  for (const query of ["last=0", "last=1048577", "last=1.5", "before=x", "before=0.1"]) {
    expect(await people.send(`${path}&${query}`, { token })).toMatchObject({ status: 400 });
  }
  expect(await people.send(`${path}&last=1048576`, { token, method: "HEAD" })).toMatchObject({ status: 200 });
  expect(await people.send(path, { token, method: "DELETE" })).toMatchObject({
    status: 405,
    headers: { allow: "GET, HEAD" },
  });
  expect(await people.send(path, { token, method: "HEAD" })).toMatchObject({ status: 200 });
});

/** A PrebuiltImage, of whose second build and of a check nothing else is known than what is stored here. */
async function makeImage(name: string): Promise<void> {
  const kube = clientOf({ file: testCluster().kubeconfig });
  try {
    const metadata = { namespace: people.world.tenant, name };
    const spec = { repositoryRef: { name: "web" }, sandboxClassName: "c", serviceAccountName: "r", suspend: false };
    const image = await kube.client.create(PrebuiltImage, { metadata, spec });
    const time = new Date().toISOString();
    const ended = { result: "Failed", reason: "SetupFailed", startTime: time, endTime: time } as const;
    const builds = [2, 1].map((number) => ({ number, ...ended }));
    await kube.client.patchStatus(PrebuiltImage, image, { ...image.status, builds });
    const store = await openDirectoryStore(people.world.blobDirectory);
    for (const attempt of [1, 2, 3]) {
      const event = { kind: "output", source: "setup", stream: "stderr", text: `of build ${attempt}\n` } as const;
      const line = segmentLine({ attempt, seq: 1, time, event });
      await store.put(segmentKey(image.metadata.uid ?? "", { attempt, seq: 1 }, "w"), line);
    }
  } finally {
    await kube.close();
  }
}

it("of a build of a prebuilt image are read by who may get prebuiltimages/log, those of one build alone", async () => {
  await makeImage("web");
  const image = `${people.world.tenant}/web`;
  const reader = await people.caller([ours("prebuiltimages/log", "get")]);
  const last = await run(reader, "image", "logs", image, "--build", "2", "-f");
  expect(last).toMatchObject({ status: 0, err: "" });
  expect(last.out).toContain("of build 2");
  expect(last.out).not.toMatch(/of build [13]/);
  expect((await run(reader, "image", "logs", image, "--build", "1")).out).toMatch(/^(?!.*of build 2)[^]*of build 1/);
  expect(await run(reader, "image", "logs", image, "--build", "0")).toMatchObject({ status: 2 });
  const imagesOnly = await people.caller([ours("prebuiltimages", "get"), ours("sessions/log", "get")]);
  const refused = await run(imagesOnly, "image", "logs", image, "--build", "2");
  expect(refused).toMatchObject({ status: 1, out: "" });
  expect(refused.err).toContain("may not get prebuiltimages/log.runwright.dev");
});
