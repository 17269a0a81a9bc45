import { afterEach, beforeEach, expect, it } from "vitest";
import { labels, Session } from "../../../src/api/v1alpha1/index.ts";
import { judgeAdmission } from "../../../src/gateway/attempts/admission.ts";
import { handOverPatch } from "../../../src/controllers/sandbox/hand-over.ts";
import { makeBundleSecret } from "../../../src/controllers/sandbox/bundle/bundle.ts";
import { sessionAsOwner } from "../../../src/controllers/sandbox/owner.ts";
import { leases, type Pod, pods, secrets } from "../../../src/kube/core-resources.ts";
import { isConflict } from "../../../src/kube/errors.ts";
import type { KubeObject } from "../../../src/lib/resource.ts";
import { testApi, testCluster } from "../../support/cluster.ts";
import { installDefinitions } from "../../support/control-plane.setup.ts";
import { World } from "../session/world.ts";
import { type Holder, HolderWorker, holderDefinition, holders, leaseOf, openLease, ownerOf } from "./holder.ts";

let world: World;
let worker: HolderWorker;
beforeEach(async () => {
  await installDefinitions(testApi(), [holderDefinition]);
  world = await World.make(testCluster().kubeconfig);
  worker = await HolderWorker.start(world);
  await world.beatGateway();
});
afterEach(async () => {
  await worker.stop();
  await world.close();
});

function aHolder(spec: Partial<Holder["spec"]> = {}): Promise<Holder> {
  const sandbox = { target: {}, sandboxClassName: world.namespace, serviceAccountName: "runner" };
  return world.client.create(holders, {
    metadata: { name: "warm", namespace: world.namespace },
    spec: { ...sandbox, wanted: true, ...spec },
  });
}

/** Passes until the holder's status shows something; `changed` is what the caches have to show first. */
async function until(
  isSo: (status: NonNullable<Holder["status"]>) => boolean,
  ...changed: KubeObject[]
): Promise<Holder> {
  return world.time.find("the holder's status", async () => {
    if (!worker.hasSeen(...changed)) return undefined;
    const holder = await worker.pass("warm");
    return isSo(holder.status ?? {}) ? holder : undefined;
  });
}

const podOf = async (): Promise<Pod> => (await world.pods())[0]!;

/** Brings the holder's sandbox to the point where it is ready. */
async function readyHolder(spec: Partial<Holder["spec"]> = {}): Promise<{ holder: Holder; pod: Pod }> {
  const holder = await aHolder(spec);
  await until(({ sandbox }) => sandbox?.attempt === 1);
  await world.reportRunning((await podOf()).metadata.name!);
  await until(({ sandbox }) => sandbox?.containerStartTime !== undefined, await podOf());
  const lease = await openLease(world, holder, 1);
  await until(({ sandbox }) => sandbox?.connectTime !== undefined, await leaseOf(world, holder, 1));
  await lease.markReady();
  const ready = await leaseOf(world, holder, 1);
  return { holder: await until(({ sandbox }) => sandbox?.readyTime !== undefined, ready), pod: await podOf() };
}

/** Time goes on after a gateway was seen to be there. */
async function passWithGateways(ms: number): Promise<void> {
  await world.beatGateway();
  const lease = await world.client.get(leases, { namespace: world.release.namespace, name: "gateway-0" });
  await world.time.find("the gateway's Lease", () => (worker.hasSeen(lease) ? true : undefined));
  world.clock.advance(ms);
}

it("starts, supervises and ends an attempt of a kind that has no prompts, and names it by its own labels", async () => {
  const { holder, pod } = await readyHolder();
  expect(pod.metadata.ownerReferences).toMatchObject([{ kind: "Holder", uid: holder.metadata.uid, controller: true }]);
  expect(pod.metadata.labels).toMatchObject({ [labels.ownerKind]: "Holder", [labels.ownerUid]: holder.metadata.uid });
  expect(pod.metadata.labels).not.toHaveProperty(labels.sessionUid);
  expect(await world.bundles()).toEqual([`${holder.metadata.uid!}-1`]);
  await world.client.patch(holders, { namespace: world.namespace, name: "warm" }, { spec: { wanted: false } });
  const wanted = { sessionUid: holder.metadata.uid!, attempt: 1 };
  const identity = { namespace: world.namespace, podUid: pod.metadata.uid! };
  expect(judgeAdmission(holder, wanted, identity)).toMatchObject({ answer: "admit" });
  expect(judgeAdmission(holder, wanted, { ...identity, podUid: "another" })).toEqual({ answer: "foreign" });
  const over = await until(({ sandbox }) => sandbox?.endTime !== undefined);
  expect(over.status?.sandbox).toMatchObject({ attempt: 1, endReason: "Stopped" });
  expect(judgeAdmission(over, wanted, identity)).toEqual({ answer: "over" });
  await world.time.find("no pod", async () => {
    await worker.pass("warm");
    return (await world.pods()).length === 0 && (await world.bundles()).length === 0 ? true : undefined;
  });
});

it("ends an attempt whose runtime is silent for more than 90 seconds", async () => {
  await readyHolder();
  for (let passedMs = 0; passedMs < 90_000; passedMs += 10_000) await passWithGateways(10_000);
  expect((await worker.pass("warm")).status?.sandbox?.endTime).toBeUndefined();
  await passWithGateways(1);
  expect((await worker.pass("warm")).status?.sandbox).toMatchObject({ endReason: "HeartbeatLost" });
});

it("saves the workspace when the owner's time to save has come, and says what was saved", async () => {
  const { holder } = await readyHolder({ savesAfterSeconds: 60 });
  world.clock.advance(59_999);
  expect((await worker.pass("warm")).status?.sandbox?.snapshotTime).toBeUndefined();
  world.clock.advance(1);
  expect((await worker.pass("warm")).status?.sandbox).toHaveProperty("snapshotTime");
  await (await openLease(world, holder, 1)).markSnapshot({ bytes: 7, archive: "a1" });
  const noted = await leaseOf(world, holder, 1);
  const { status } = await until(({ sandbox }) => sandbox?.endTime !== undefined, noted);
  expect(status).toMatchObject({
    sandbox: { endReason: "Stopped" },
    savedWorkspace: { attempt: 1, bytes: 7, archive: "a1" },
  });
});

it("hands a running attempt over to a session, whose controller goes on with it", async () => {
  const { holder, pod } = await readyHolder();
  await world.startOperator();
  // A class without a place: the session waits, and would never start a sandbox of its own.
  const full = await world.createClass(`${world.namespace}-full`, { maxSandboxes: 0 });
  const className = full.metadata.name!;
  await world.allowRunner([{ resources: ["sandboxclasses"], verbs: ["use"], resourceNames: [className] }]);
  const session = await world.createSession("fix", { sandboxClassName: className, idleTimeoutSeconds: 600 });
  await world.createPrompt(session, 1);
  const queued = await world.untilSession("fix", "queued", ({ queue }) => queue !== undefined);

  const to = sessionAsOwner(queued);
  const { namespace = "", name = "", uid = "" } = session.metadata;
  const bundle = {
    version: 1 as const,
    session: { namespace, name, uid, attempt: 1 },
    repositories: [],
    environment: {},
    agent: { command: ["agent"], protocol: "exec" as const, permissionRequests: "Reject" as const },
    tunnels: { ports: [], waitSeconds: 30 },
  };
  const where = { sessionsNamespace: world.sessionsNamespace, release: world.release };
  await world.client.create(secrets, makeBundleSecret(to, { bundle, githubApps: [] }, where));
  const request = { pod, from: ownerOf(holder), to, attempt: 1, lifetimeMs: 3_600_000 };
  const patch = handOverPatch(request, world.clock.now());
  await world.client.patch(pods, { namespace, name: pod.metadata.name! }, patch);
  await expect(world.client.patch(pods, { namespace, name: pod.metadata.name! }, patch)).rejects.toSatisfy(isConflict);
  const record = { ...holder.status!.sandbox!, attempt: 1, connectTime: undefined, readyTime: undefined };
  const current = await world.session("fix");
  await world.client.patchStatus(Session, current, { ...current.status, sandbox: record, lifetimeMs: 3_600_000 });

  const handed = await world.client.get(pods, { namespace, name: pod.metadata.name! });
  expect(handed.metadata).toMatchObject({
    uid: pod.metadata.uid,
    labels: { [labels.sessionUid]: uid, [labels.attempt]: "1" },
    ownerReferences: [{ kind: "Session", uid }],
  });
  expect(handed.metadata.labels).not.toHaveProperty(labels.ownerUid);
  expect(handed.spec?.activeDeadlineSeconds).toBe(4_200);

  await world.connect(session, 1);
  await world.reportReady(session, 1);
  const working = await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
  expect(working.status?.sandbox).toMatchObject({ attempt: 1, podUID: pod.metadata.uid });
  await world.settlePrompt("fix-1", true, "Completed");
  await world.untilSession("fix", "idle", ({ idleSince }) => idleSince !== undefined);

  // The former owner finds its pod gone, and deletes its bundle alone.
  await until(({ sandbox }) => sandbox?.endTime !== undefined, handed);
  await world.client.patch(holders, { namespace, name: "warm" }, { spec: { wanted: false } });
  await world.time.find("the former bundle is gone", async () => {
    await worker.pass("warm");
    return (await world.bundles()).length === 1 ? true : undefined;
  });
  expect((await world.pods()).map((one) => one.metadata.uid)).toEqual([pod.metadata.uid]);
  await world.deletePod(pod.metadata.name!);
  const lost = await world.untilSession("fix", "ended", ({ sandbox }) => sandbox?.endTime !== undefined);
  expect(lost.status?.sandbox).toMatchObject({ attempt: 1, endReason: "SandboxLost" });
});
