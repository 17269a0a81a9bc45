import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { foreignDefinitions } from "../../../hack/toolchain/foreign-definitions.ts";
import { labels, SandboxClass, type Session } from "../../../src/api/v1alpha1/index.ts";
import type { Pod } from "../../../src/kube/core-resources.ts";
import { type VolumeSnapshot, volumeSnapshots } from "../../../src/controllers/sandbox/pod/volume-snapshots.ts";
import { testApi, testCluster } from "../../support/cluster.ts";
import { type Definition, installDefinitions } from "../../support/control-plane.setup.ts";
import { parseManifests } from "../../support/manifests.ts";
import { conditionOf, World } from "./world.ts";

// No CSI driver is here: the test sets what the snapshot controller would. Go downloads the definitions the first time.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

let world: World;
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  const workspaceVolume = { storageClassName: "fast", volumeSnapshotClassName: "fast-snapshots" };
  await world.client.patch(SandboxClass, { name: world.namespace }, { spec: { workspaceVolume } });
  await world.startOperator();
});
afterEach(() => world.close());

const aSession = (): Promise<Session> => world.createSession("fix", { idleTimeoutSeconds: 600 });

/** Processes a prompt and lets the sandbox be idle for as long as the session says. */
async function becomesIdle(session: Session, prompt: number, attempt: number): Promise<Pod> {
  await world.createPrompt(session, prompt);
  const pod = await world.bringUp(session, attempt);
  await world.untilSession("fix", "dispatched", ({ currentPrompt }) => currentPrompt !== undefined);
  await world.settlePrompt(`fix-${prompt}`, true, "Completed");
  const { status } = await world.untilSession("fix", "idle", ({ idleSince }) => idleSince !== undefined);
  world.clock.advance(Date.parse(status!.idleSince!) + 600_000 - world.clock.now().getTime());
  return pod;
}

const ended = (attempt: number): Promise<Session> =>
  world.untilSession(
    "fix",
    "ended",
    ({ sandbox }) => sandbox?.attempt === attempt && sandbox.endTime !== undefined,
    2_000,
  );

const failedToSave = (failures: number): Promise<Session> =>
  world.untilSession("fix", "failed to save", ({ sandbox }) => sandbox?.saveFailures === failures, 2_000);

const snapshots = async (): Promise<VolumeSnapshot[]> =>
  (await world.client.list(volumeSnapshots, { namespace: world.namespace })).items;

const snapshotOf = (pod: Pod): Promise<VolumeSnapshot> =>
  world.time.find(
    "its VolumeSnapshot",
    async () => (await snapshots()).find(({ metadata }) => metadata.name === pod.metadata.name),
    { stepMs: 0 },
  );

const workspaceOf = ({ spec }: Pod) => spec?.volumes?.find(({ name }) => name === "workspace");

// Before another test installs the kind: no other file of this control plane's has it.
it("keeps the sandbox up and says why where the cluster has no VolumeSnapshots", async () => {
  await becomesIdle(await aSession(), 1, 1);
  const session = await failedToSave(1);
  expect(session.status?.snapshot).toBeUndefined();
  expect(session.status?.sandbox?.endTime).toBeUndefined();
  expect(conditionOf(session, "WorkspaceSaved")).toMatchObject({
    status: "False",
    message: expect.stringContaining("the cluster has no VolumeSnapshot (snapshot.storage.k8s.io/v1)") as string,
  });
});

it("saves the workspace's volume, and the next sandbox's volume begins with it", async () => {
  const definitions = await Promise.all((await foreignDefinitions()).map((path) => readFile(path, "utf8")));
  const ofSnapshots = (definitions.flatMap(parseManifests) as Definition[]).filter(
    ({ spec }) => spec.group === volumeSnapshots.group,
  );
  await installDefinitions(testApi(), ofSnapshots);
  const { client, namespace } = world;
  const session = await aSession();
  const { uid = "" } = session.metadata;
  const source = { persistentVolumeClaimName: "gone" };
  const stale = { name: "stale", namespace, labels: { [labels.sessionUid]: uid } };
  await client.create(volumeSnapshots, { metadata: stale, spec: { volumeSnapshotClassName: "any", source } });

  const first = await becomesIdle(session, 1, 1);
  const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "10Gi" } } };
  expect(workspaceOf(first)?.ephemeral?.volumeClaimTemplate?.spec).toMatchObject({
    ...claim,
    storageClassName: "fast",
  });
  expect(workspaceOf(first)?.ephemeral?.volumeClaimTemplate?.spec).not.toHaveProperty("dataSource");
  const snapshot = await snapshotOf(first);
  expect(snapshot).toMatchObject({
    metadata: { ownerReferences: [{ kind: "Session", uid }] },
    spec: {
      volumeSnapshotClassName: "fast-snapshots",
      source: { persistentVolumeClaimName: `${first.metadata.name}-workspace` },
    },
  });
  expect((await world.session("fix")).status?.sandbox?.endTime).toBeUndefined();
  expect((await snapshots()).map(({ metadata }) => metadata.name)).toEqual([first.metadata.name]);
  await client.patchStatus(volumeSnapshots, snapshot, { readyToUse: true, restoreSize: "10Gi" });
  const saved = { attempt: 1, volumeSnapshotName: first.metadata.name, bytes: 10 * 1024 ** 3 };
  expect((await ended(1)).status).toMatchObject({ sandbox: { endReason: "Stopped" }, snapshot: saved });

  const second = await becomesIdle(session, 2, 2);
  expect(workspaceOf(second)?.ephemeral?.volumeClaimTemplate?.spec.dataSource).toEqual({
    apiGroup: volumeSnapshots.group,
    kind: "VolumeSnapshot",
    name: first.metadata.name,
  });
  expect(await world.bundle(session, 2)).toMatchObject({ hasWorkspace: true });
  await client.patchStatus(volumeSnapshots, await snapshotOf(second), { error: { message: "the array is full" } });
  const failed = await failedToSave(1);
  expect(failed.status?.snapshot).toMatchObject(saved);
  expect(failed.status?.sandbox?.endTime).toBeUndefined();
  expect(conditionOf(failed, "WorkspaceSaved")).toMatchObject({
    status: "False",
    message: expect.stringContaining("could not be saved, so it stays up: the array is full") as string,
  });
  // The next try takes another snapshot, and the one that failed goes.
  world.clock.advance(60_000);
  const again = `${second.metadata.name}-2`;
  await world.time.find("its next VolumeSnapshot", async () => {
    const names = (await snapshots()).map(({ metadata }) => metadata.name);
    return names.includes(again) && !names.includes(second.metadata.name) ? names : undefined;
  });
});
