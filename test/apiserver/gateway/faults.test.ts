import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { ensurePki, readPem } from "../../../hack/lib/pki.ts";
import { snapshotsOf } from "../../../src/api/v1alpha1/names.ts";
import { testCluster } from "../../support/cluster.ts";
import { openDirectoryStore } from "../../support/directory-store.ts";
import { startFaultProxy } from "../../support/fault-proxy.ts";
import { type GatewayProcess, makeGatewayAccount, startGatewayProcess } from "../../support/runtime-gateway-process.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import {
  gatewayConnection,
  passAlive,
  type Relay,
  startRelay,
  startTestGateway,
} from "../../support/runtime-gateway.ts";
import { RuntimePeer } from "../../support/runtime-peer.ts";
import { type SandboxProcesses, startSandbox } from "../../support/runtime-processes.ts";
import { savedWorkspace } from "../../support/saved-workspace.ts";
import {
  eventually,
  makeSandbox,
  makeWorld,
  putCertificate,
  type SandboxFixture,
  type World,
} from "../../support/runtime-world.ts";

let world: World;
let kubeconfig: string;
const ends: (() => Promise<void> | void)[] = [];

beforeAll(async () => {
  world = await makeWorld();
  kubeconfig = await makeGatewayAccount(world);
});

afterAll(async () => {
  for (const end of ends.reverse()) await end();
  await world.close();
});

async function startReplica(podName: string): Promise<GatewayProcess> {
  const gateway = await startGatewayProcess(world, kubeconfig, podName);
  ends.push(() => gateway.kill());
  return gateway;
}

/** An agent that counts its runs and ends when the test lets it. */
const countingAgent =
  'cat >> ../prompts; echo >> ../runs; while [ ! -e ../go ]; do sleep 0.05; done; echo "done"; touch ../ended';

interface Story {
  relay: Relay;
  sandbox: SandboxFixture;
  processes: SandboxProcesses;
  prompt: { name: string; uid: string };
}

/** A sandbox behind a relay whose agent has begun with a prompt. */
async function startStory(gateway: GatewayProcess): Promise<Story> {
  const relay = await startRelay(gateway.sandboxPort);
  ends.push(() => relay.close());
  const sandbox = await makeSandbox(world, {
    bundle: { agent: { command: ["bash", "-c", `cd home; ${countingAgent}`], protocol: "exec" } },
  });
  const processes = await startSandbox(world, sandbox, `wss://localhost:${relay.port}`, {
    folders: ["workspace/home"],
  });
  ends.push(() => processes.kill());
  await sandbox.noted("ready-time");
  const prompt = await sandbox.prompt("once");
  await eventually("the agent runs", () => readFile(join(processes.workspace, "runs"), "utf8").catch(() => undefined));
  return { relay, sandbox, processes, prompt };
}

async function expectDoneOnce({ sandbox, processes, prompt }: Story): Promise<void> {
  const status = await sandbox.settled(prompt.name);
  expect(status).toMatchObject({
    conditions: [{ type: "Succeeded", status: "True" }],
    result: { summary: "done" },
  });
  expect(status).not.toHaveProperty("lateResult");
  expect(await readFile(join(processes.workspace, "runs"), "utf8")).toBe("\n");
  expect(await readFile(join(processes.workspace, "prompts"), "utf8")).toBe("once");
}

it("goes on through cut connections, a killed gateway and a time without any", async () => {
  const first = await startReplica("gateway-1");
  const story = await startStory(first);
  const { relay, sandbox, processes } = story;

  relay.cut();
  await eventually("connected again", () => (relay.made() >= 2 && relay.open() === 1 ? true : undefined));

  const second = await startReplica("gateway-2");
  relay.pointTo(second.sandboxPort);
  await first.kill();
  const holder = async (): Promise<unknown> => (await sandbox.lease())?.spec.holderIdentity;
  await eventually("connected to the other replica", async () => String(await holder()).startsWith("gateway-2_"));

  // The agent ends while no gateway is there to hear it.
  await second.kill();
  await writeFile(join(processes.workspace, "go"), "");
  await eventually("ended", () => readFile(join(processes.workspace, "ended")).catch(() => undefined));
  const third = await startReplica("gateway-3");
  relay.pointTo(third.sandboxPort);
  await expectDoneOnce(story);

  await sandbox.status({ currentPrompt: null, sandbox: { endTime: new Date().toISOString() } });
  expect(await processes.ended()).toEqual([0, 0]);
});

const workspaceBytes = 24 * 2 ** 20;

/** Bytes of the largest blob that is being written. */
async function largestUnfinished(): Promise<number> {
  const folder = join(world.blobDirectory, ".unfinished");
  const sizes = (await readdir(folder)).map((name) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return Math.max(0, ...(await Promise.all(sizes)));
}

it("keeps nothing of a workspace whose gateway is killed while it takes it, and then all of it", async () => {
  const first = await startReplica("gateway-4");
  const relay = await startRelay(first.sandboxPort);
  ends.push(() => relay.close());
  const sandbox = await makeSandbox(world);
  const processes = await startSandbox(world, sandbox, `wss://localhost:${relay.port}`);
  ends.push(() => processes.kill());
  await sandbox.noted("ready-time");
  // What is random cannot be made smaller, so that less is not all of it.
  await writeFile(join(processes.workspace, "large.bin"), randomBytes(workspaceBytes));
  await sandbox.status({ sandbox: { snapshotTime: new Date().toISOString() } });
  await eventually("the upload is under way", async () => (await largestUnfinished()) > 2 ** 20 || undefined);
  await first.kill();

  const blobs = await openDirectoryStore(world.blobDirectory);
  for await (const { size } of blobs.list(snapshotsOf(sandbox.sessionUid)))
    expect(size).toBeGreaterThan(workspaceBytes);

  const second = await startReplica("gateway-5");
  relay.pointTo(second.sandboxPort);
  const { bytes, key } = await savedWorkspace(sandbox);
  expect(bytes).toBeGreaterThan(workspaceBytes);
  expect((await stat(join(world.blobDirectory, key))).size).toBe(bytes);
});

it("reports a boot that failed while no gateway was there", async () => {
  const first = await startReplica("gateway-5");
  const relay = await startRelay(first.sandboxPort);
  ends.push(() => relay.close());
  const sandbox = await makeSandbox(world, { bundle: { agent: { command: ["no-such-agent"], protocol: "exec" } } });
  const processes = await startSandbox(world, sandbox, `wss://localhost:${relay.port}`);
  ends.push(() => processes.kill());
  // Boot waits for the agent's container.
  processes.agent.kill("SIGSTOP");
  await eventually("connected", () => processes.log().some(({ message }) => message === "Connected to the gateway"));
  await first.kill();
  processes.agent.kill("SIGCONT");
  expect(await sandbox.lease()).toBeUndefined();
  relay.pointTo((await startReplica("gateway-6")).sandboxPort);
  await eventually("noted", async () => (await sandbox.lease())?.metadata.annotations?.["runwright.dev/boot-failure"]);
});

it("ends with 0 when its attempt was over while it was away", async () => {
  const gateway = await startReplica("gateway-4");
  const { relay, sandbox, processes, prompt } = await startStory(gateway);
  relay.pointTo(1);
  relay.cut();
  await eventually("disconnected", () => (relay.open() === 0 ? true : undefined));
  await sandbox.status({ sandbox: { attempt: 2, podUID: "another" } });
  relay.pointTo(gateway.sandboxPort);
  expect(await processes.ended()).toEqual([0, 0]);
  expect((await sandbox.readPrompt(prompt.name)).status).not.toHaveProperty("conditions");
});

it("is not ready without a certificate, and changes it without dropping a connection", async () => {
  const bare = await makeWorld({ certificate: false });
  const proxy = await startFaultProxy(testCluster());
  const kube = await gatewayConnection(bare, proxy);
  const clock = new MovableClock();
  const gateway = await startTestGateway(bare, kube.client, { clock });
  ends.push(async () => {
    await gateway.close();
    await kube.close();
    await proxy.close();
    await bare.close();
  });
  await eventually("sessions known", () => (gateway.notReadyBecause()?.includes("certificate") ? true : undefined));
  await putCertificate(bare, { cert: bare.tls.cert, key: "no key" });
  // It looks again only when it could not use what it had read.
  const reads = (): number =>
    proxy.seen.filter(({ path, status }) => path.includes("/secrets/gateway-tls") && status === 200).length;
  await eventually("read twice", () => reads() >= 2);
  expect(gateway.notReadyBecause()).toBe("the certificate is not there yet");
  await putCertificate(bare, bare.tls);
  await eventually("ready", () => gateway.notReadyBecause() === undefined || undefined);

  const sandbox = await makeSandbox(bare);
  const early = await RuntimePeer.welcome(bare, gateway, sandbox);
  const renewed = join(bare.directory, "renewed");
  await mkdir(renewed);
  await ensurePki(renewed, [{ name: "gateway", subject: "/CN=gateway", extension: "subjectAltName=DNS:localhost" }]);
  const [ca, cert, key] = await Promise.all(
    ["ca.crt", "gateway.crt", "gateway.key"].map((file) => readPem(renewed, file)),
  );
  await putCertificate(bare, { cert: cert!, key: key! });
  // It looks for a new one every 15 s.
  await passAlive(bare, clock, 15_000);
  // A second sandbox that trusts the new authority alone gets in once the certificate is in use.
  const late = await RuntimePeer.welcome({ ...bare, ca: ca! }, gateway, await makeSandbox(bare));
  early.send({ type: "ready", seq: 1 });
  expect(await early.next("ack")).toMatchObject({ seq: 1 });
  early.close();
  late.close();
});
