import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Agent } from "undici";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

import { S3Store } from "../../../src/blobs/s3-store.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { type OpenStream, openStream } from "../../support/event-stream.ts";
import { makeCaller, ours } from "../../support/people-world.ts";
import {
  type GatewayWorld,
  openGatewayWorld,
  startTestGateway,
  type TestGateway,
} from "../../support/runtime-gateway.ts";
import { type SandboxProcesses, startSandbox } from "../../support/runtime-processes.ts";
import { eventually, makeSandbox, type SandboxFixture } from "../../support/runtime-world.ts";
import { type S3Server, startS3Server, useCredentialsOf } from "../../support/s3-server.ts";
import { shell } from "../../support/sandbox-work-world.ts";
import { inherit, savedWorkspace } from "../../support/saved-workspace.ts";

// Go builds the S3 server the first time.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

let server: S3Server;
let opened: GatewayWorld;
/** Two replicas that share nothing but the API server and the bucket. */
let near: TestGateway;
let far: TestGateway;
let agent: Agent;
let token: string;
const started: SandboxProcesses[] = [];

beforeAll(async () => {
  server = await startS3Server();
  useCredentialsOf(server);
  opened = await openGatewayWorld({ podName: "near", blobs: aStore() });
  near = opened.gateway;
  const { client } = opened.connection;
  far = await startTestGateway(opened.world, client, { podName: "far", blobs: aStore() });
  await eventually("the other replica is ready", () => far.notReadyBecause() === undefined);
  agent = new Agent({ connect: { ca: opened.world.ca } });
  token = await makeCaller(opened.world, [ours("sessions/log", "get")], "tenant");
});
afterAll(async () => {
  for (const processes of started) processes.kill();
  await agent.destroy();
  await far.close();
  await opened.close();
  await server.close();
  vi.unstubAllEnvs();
});

function aStore(): S3Store {
  const { bucket, url: endpoint } = server;
  return new S3Store({ bucket, prefix: "shared/", region: "us-east-1", endpoint, forcePathStyle: true }, systemClock);
}

async function start(sandbox: SandboxFixture, gateway: TestGateway): Promise<SandboxProcesses> {
  const processes = await startSandbox(opened.world, sandbox, gateway.sandboxUrl);
  started.push(processes);
  await sandbox.noted("ready-time");
  return processes;
}

function read(gateway: TestGateway, { session }: SandboxFixture, query = ""): Promise<OpenStream> {
  const url = `${gateway.peopleUrl}/sessions/${opened.world.tenant}.${session}/events${query}`;
  return openStream(agent, url, { token });
}

const outputs = ({ events }: OpenStream): string =>
  events
    .map(({ event: { event } }) => (event.kind === "output" && event.source === "agent" ? event.text : ""))
    .join("");

it("tells at one replica what a session does at the other, while it goes on and after", async () => {
  const waits = shell("echo one; until [ -e go ]; do sleep 0.05; done; echo two");
  const sandbox = await makeSandbox(opened.world, { bundle: { agent: waits } });
  const { workspace } = await start(sandbox, near);
  const live = await read(far, sandbox);
  const prompt = await sandbox.prompt("go");
  await eventually("the first line", () => outputs(live).includes("one"));
  expect((await sandbox.readPrompt(prompt.name)).status).not.toHaveProperty("completionTime");
  await writeFile(join(workspace, "go"), "");
  await sandbox.settled(prompt.name);
  await sandbox.status({ currentPrompt: null, sandbox: { endTime: new Date().toISOString(), endReason: "Stopped" } });
  expect(await live.ended).toBe(true);
  expect(outputs(live)).toBe("one\ntwo\n");
  for (const gateway of [far, near]) {
    const after = await read(gateway, sandbox, "?follow=false");
    await after.ended;
    expect(after.events).toEqual(live.events);
  }
});

it("gives a workspace back by the other replica than the one that saved it", async () => {
  const first = await makeSandbox(opened.world);
  const { workspace: from } = await start(first, near);
  // More than one part of an upload.
  const large = randomBytes(20_000_000);
  await writeFile(join(from, "large.bin"), large);
  await first.status({ sandbox: { snapshotTime: new Date().toISOString() } });
  const saved = await savedWorkspace(first);
  expect(saved.bytes).toBeGreaterThan(large.length);
  const second = await makeSandbox(opened.world, { attempt: 2, bundle: { restores: 1 } });
  await inherit(aStore(), second, saved);
  const { workspace: to } = await start(second, far);
  expect((await readFile(join(to, "large.bin"))).equals(large)).toBe(true);
});
