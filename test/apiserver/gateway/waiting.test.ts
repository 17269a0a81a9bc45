import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

import { gatewayLeaseName, sandboxAudience, waitingPath } from "../../../src/api/runtime/pod-contract.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import type { Assignment } from "../../../src/sandbox-runtime/config.ts";
import { awaitAssignment } from "../../../src/sandbox-runtime/gateway/await-assignment.ts";
import { makeNamespace } from "../../support/cluster.ts";
import { type GatewayWorld, openGatewayWorld, type Relay, startRelay } from "../../support/runtime-gateway.ts";
import { RuntimePeer, tryUpgrade } from "../../support/runtime-peer.ts";
import {
  change,
  create,
  eventually,
  find,
  makePod,
  makeSandbox,
  requestToken,
  type SandboxFixture,
  type World,
} from "../../support/runtime-world.ts";

let opened: GatewayWorld;
let world: World;
let relay: Relay;
beforeAll(async () => {
  opened = await openGatewayWorld();
  ({ world } = opened);
  relay = await startRelay(opened.gateway.ports.sandbox);
});
afterAll(async () => {
  await relay.close();
  await opened.close();
});

type Pod = Awaited<ReturnType<typeof makePod>>;

const aPod = (): Promise<Pod> => makePod(world, `warm-${randomUUID().slice(0, 8)}`);
const tokenOf = (pod: Pod, audience = sandboxAudience(world.release)): Promise<string> =>
  requestToken(world, pod, audience);

/** A pool whose status names these pods. */
async function poolOf(namespace: string, pods: readonly Pod[]): Promise<string> {
  const pools = `/apis/runwright.dev/v1alpha1/namespaces/${namespace}/sandboxpools`;
  const name = `pool-${randomUUID().slice(0, 8)}`;
  await create(pools, {
    apiVersion: "runwright.dev/v1alpha1",
    kind: "SandboxPool",
    metadata: { name },
    spec: { sandboxClassName: "standard", replicas: pods.length },
  });
  const path = `${pools}/${name}/status`;
  const members = pods.map((pod, index) => ({ number: index + 1, podName: pod.name, podUID: pod.uid, revision: "r" }));
  await change(path, { status: { members } });
  return path;
}

/** A pod that a pool names, and the real part of its runtime that waits; it comes to the gateway through the relay. */
async function aWaitingPod(signal = new AbortController().signal): Promise<{
  pod: Pod;
  pool: string;
  assigned: Promise<Assignment | undefined>;
}> {
  const pod = await aPod();
  const pool = await poolOf(world.tenant, [pod]);
  const files = { tokenFile: join(world.directory, `${pod.name}.token`), caFile: join(world.directory, "ca.crt") };
  await writeFile(files.tokenFile, await tokenOf(pod));
  await writeFile(files.caFile, world.ca);
  const assigned = awaitAssignment(
    {
      ...files,
      gatewayUrl: `wss://localhost:${relay.port}`,
      log: { info: () => undefined, warn: () => undefined },
      clock: systemClock,
      random: { fraction: () => 0 },
      signal,
    },
    pod.uid,
  );
  return { pod, pool, assigned };
}

/** UIDs of the pods that wait, by the gateway's own Lease. */
async function listed(): Promise<string[]> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${world.release.namespace}/leases/${gatewayLeaseName("gateway-a")}`;
  const lease = await find(path);
  return (lease?.metadata.annotations?.["runwright.dev/waiting-pods"] ?? "").split(",");
}

/** A Session that names the pod as its sandbox. */
async function claimed(pod: Pod): Promise<SandboxFixture> {
  const session = await makeSandbox(world, { recorded: false });
  const createTime = new Date().toISOString();
  await session.status({ sandbox: { attempt: 1, podName: pod.name, podUID: pod.uid, createTime, pool: "warm" } });
  return { ...session, podUid: pod.uid, token: (audience) => tokenOf(pod, audience) };
}

it("says which pods wait, and gives one its session, as which it is then let in", async () => {
  const { pod, pool, assigned } = await aWaitingPod();
  await eventually("the Lease names it", async () => (await listed()).includes(pod.uid));
  const session = await claimed(pod);
  await expect(assigned).resolves.toEqual({ sessionUid: session.sessionUid, attempt: 1 });
  // The pool has given it away.
  await change(pool, { status: { members: [] } });
  const peer = await RuntimePeer.connect(world, opened.gateway, session);
  peer.send({ type: "hello", protocol: 1, needsBundle: true, openPrompts: [] });
  const { bundle } = await peer.next("bundle");
  expect(bundle.session.uid).toBe(session.sessionUid);
  peer.close();
  await eventually("the Lease names it no more", async () => !(await listed()).includes(pod.uid));
});

it("waits on where its connection is lost, and is listed again", async () => {
  const { pod, assigned } = await aWaitingPod();
  await eventually("the Lease names it", async () => (await listed()).includes(pod.uid));
  const made = relay.made();
  relay.cut();
  await eventually("it has come back", () => relay.made() > made);
  await eventually("the Lease names it again", async () => (await listed()).includes(pod.uid));
  const session = await claimed(pod);
  await expect(assigned).resolves.toEqual({ sessionUid: session.sessionUid, attempt: 1 });
});

it("gives it the session that took it while its connection was lost", async () => {
  const pod = await aPod();
  const session = await claimed(pod);
  const waiting = await RuntimePeer.wait(world, opened.gateway, { uid: pod.uid, token: await tokenOf(pod) });
  await expect(waiting.next("assigned")).resolves.toEqual({
    type: "assigned",
    sessionUid: session.sessionUid,
    attempt: 1,
  });
  waiting.close();
});

it("ends a pod whose attempt is over already", async () => {
  const { pod, assigned } = await aWaitingPod();
  await eventually("the Lease names it", async () => (await listed()).includes(pod.uid));
  const session = await makeSandbox(world, { recorded: false });
  const now = new Date().toISOString();
  const ended = { endTime: now, endReason: "ConnectTimeout" };
  await session.status({ sandbox: { attempt: 1, podName: pod.name, podUID: pod.uid, createTime: now, ...ended } });
  await expect(assigned).resolves.toBeUndefined();
});

it("waits no longer once its pod is being deleted", async () => {
  const stop = new AbortController();
  const { pod, assigned } = await aWaitingPod(stop.signal);
  await eventually("the Lease names it", async () => (await listed()).includes(pod.uid));
  stop.abort();
  await expect(assigned).resolves.toBeUndefined();
  await eventually("the Lease names it no more", async () => !(await listed()).includes(pod.uid));
});

it.each([
  { what: "without a token", token: () => Promise.resolve(undefined), want: { status: 401, code: "Unauthorized" } },
  {
    what: "with another waiting pod's token",
    token: async () => tokenOf(await aPod()),
    want: { status: 403, code: "NotThisPod" },
  },
  {
    what: "with a token for the API server",
    token: (pod: Pod) => requestToken(world, pod, undefined),
    want: { status: 503, code: "TokenNotAccepted" },
  },
  {
    what: "with a token of another release's gateway",
    token: (pod: Pod) => tokenOf(pod, "runwright-sandbox.elsewhere.runwright"),
    want: { status: 503, code: "TokenNotAccepted" },
  },
  {
    what: "with a token that is bound to no pod",
    token: () => requestToken(world, undefined, sandboxAudience(world.release)),
    want: { status: 503, code: "TokenNotAccepted" },
  },
])("lets no pod wait $what", async ({ token, want }) => {
  const pod = await aPod();
  await poolOf(world.tenant, [pod]);
  const url = opened.gateway.sandboxUrl + waitingPath(pod.uid);
  await eventually("the gateway knows the pool", async () => {
    return (await tryUpgrade(url, world.ca, await tokenOf(pod))).status === 101;
  });
  const { status, body } = await tryUpgrade(url, world.ca, await token(pod));
  expect({ status, body }).toMatchObject({ status: want.status, body: { code: want.code } });
});

it("lets no pod wait that no pool names, whatever its own token says", async () => {
  const pod = await aPod();
  const url = opened.gateway.sandboxUrl + waitingPath(pod.uid);
  const { status, body } = await tryUpgrade(url, world.ca, await tokenOf(pod));
  expect({ status, body }).toMatchObject({ status: 503, body: { code: "SandboxNotRecorded" } });
});

it("lets no pod wait that a pool of another namespace names", async () => {
  const pod = await aPod();
  await poolOf(await makeNamespace("other"), [pod]);
  const url = opened.gateway.sandboxUrl + waitingPath(pod.uid);
  const answer = await eventually("the gateway knows the pool", async () => {
    const { status, body } = await tryUpgrade(url, world.ca, await tokenOf(pod));
    return status === 503 ? undefined : { status, body };
  });
  expect(answer).toMatchObject({ status: 403, body: { code: "NotThisPod" } });
});

it("lets a pod that waits be no session's, whose status names another", async () => {
  const { pod } = await aWaitingPod();
  const session = await makeSandbox(world);
  const url = `${opened.gateway.sandboxUrl}/sandbox/v1/sessions/${session.sessionUid}/attempts/1`;
  const answer = await eventually("the gateway knows the session", async () => {
    const { status, body } = await tryUpgrade(url, world.ca, await tokenOf(pod));
    return status === 503 ? undefined : { status, body };
  });
  expect(answer).toMatchObject({ status: 403, body: { code: "NotThisPod" } });
});
