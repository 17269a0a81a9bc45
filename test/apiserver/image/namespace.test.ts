import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { PrebuiltImage, Repository, secretsMacSecretName } from "../../../src/api/v1alpha1/index.ts";
import type { DirectoryStore } from "../../../src/blobs/directory-store.ts";
import { TenantNamespaces } from "../../../src/controllers/sandbox/tenant/tenant-namespaces.ts";
import { collectOnce, collectorTimes } from "../../../src/gateway/blobs/blob-collector.ts";
import { notePlace } from "../../../src/gateway/blobs/blob-places.ts";
import { BlobUsage } from "../../../src/gateway/blobs/blob-usage.ts";
import { createLogger } from "../../../src/telemetry/logger.ts";
import { leases, pods, secrets } from "../../../src/kube/core-resources.ts";
import { FakeClock } from "../../../src/lib/fake-clock.ts";
import { keyOf, type KubeObject, type Resource } from "../../../src/lib/resource.ts";
import { testCluster } from "../../support/cluster.ts";
import { namespaces } from "../../support/core-resources.ts";
import { openDirectoryStore } from "../../support/directory-store.ts";
import { privateNetwork } from "../../support/private-network.ts";
import { startTenantControllers, type TenantControllers } from "../session/tenant-controllers.ts";
import { World } from "../session/world.ts";
import { type ImageControllerAtWork, ImageUnderTest, startImageController } from "./controller-world.ts";

let world: World;
let folder: string;
let blobs: DirectoryStore;
let running: (ImageControllerAtWork | TenantControllers)[] = [];
beforeEach(async () => {
  world = await World.make(testCluster().kubeconfig);
  await world.allowRunner([{ resources: ["repositories"], verbs: ["get"] }]);
  folder = await mkdtemp(join(tmpdir(), "runwright-image-blobs-"));
  blobs = await openDirectoryStore(folder);
  await startControllers();
});
afterEach(async () => {
  await stopControllers();
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

/** That of images, and those that collect what is left of a tenant. */
async function startControllers(): Promise<void> {
  const { operatorClient: client, clock, release } = world;
  const known = new TenantNamespaces({ client, clock, release, gatewayPort: 8443, network: privateNetwork });
  running = [await startImageController(world), await startTenantControllers(world, known)];
}

async function stopControllers(): Promise<void> {
  await Promise.all(running.map((one) => one.stop()));
  running = [];
}

/** What a gateway has stored of a build. */
async function store({ metadata: { uid = "" } }: PrebuiltImage, build: number, bytes: number): Promise<void> {
  await notePlace(blobs, { sessionUid: uid, namespace: world.namespace });
  await blobs.put(`${uid}/snapshots/${build}/a${build}/workspace.tar.zst`, Buffer.alloc(bytes));
  await blobs.put(`${uid}/events/${build}/1`, Buffer.from("{}"));
}

async function usedBytes(): Promise<number> {
  const usage = new BlobUsage({ blobs, budgets: {} });
  await usage.measure();
  return usage.total.used;
}

/** The pass of a gateway whose cache knows no owner, when what is left is no longer young. */
async function collect(): Promise<void> {
  const clock = new FakeClock(new Date(Date.now() + collectorTimes.youngMs + 60_000).toISOString());
  const logger = createLogger({ process: "gateway", level: "fatal" }, { write: () => undefined });
  const owners = { hasSynced: true, byUid: () => undefined, images: () => [] };
  const forgetOldEvents = (): Promise<void> => Promise.resolve();
  await collectOnce(
    { client: world.client, blobs, owners, forgetOldEvents, clock, logger },
    new AbortController().signal,
  );
}

/** What Kubernetes' namespace controller does, which does not run here. */
async function deleteNamespace(): Promise<void> {
  const { client, namespace } = world;
  await client.delete(namespaces, { name: namespace });
  for (const resource of [PrebuiltImage, Repository, pods] as Resource<KubeObject>[]) {
    const { items } = await client.list(resource, { namespace });
    for (const item of items) await client.delete(resource, keyOf(item));
  }
}

/** Secrets and Leases of builds; a Lease goes with its Secret where garbage is collected. */
async function leftOfBuilds(): Promise<string[]> {
  const namespace = world.sessionsNamespace;
  const bundles = (await world.client.list(secrets, { namespace })).items;
  const uids = bundles.map(({ metadata }) => metadata.uid);
  const isKept = ({ metadata }: KubeObject): boolean =>
    metadata.ownerReferences?.some(({ uid }) => uids.includes(uid)) ?? true;
  const beats = (await world.client.list(leases, { namespace })).items.filter(isKept);
  const all: KubeObject[] = [...bundles, ...beats];
  // The key of hashes belongs to the release.
  return all.map(({ metadata }) => metadata.name ?? "").filter((name) => name !== secretsMacSecretName);
}

async function blobOwners(): Promise<string[]> {
  const found: string[] = [];
  for await (const owner of blobs.owners()) found.push(owner);
  return found;
}

it.each([
  { when: "while the controller runs", isStopped: false },
  { when: "while no controller runs, which is started then", isStopped: true },
])("nothing of images is left of a namespace that is deleted $when", async ({ isStopped }) => {
  const [serving, building] = [new ImageUnderTest(world, "serving"), new ImageUnderTest(world, "building")];
  await serving.create();
  await store(await serving.build(1), 1, 1_000);
  await building.create();
  await building.boot(1);
  // Its archive is on its way.
  await store(await building.read(), 1, 500);
  expect(await usedBytes()).toBe(1_500);
  expect(await leftOfBuilds()).toHaveLength(2);

  if (isStopped) await stopControllers();
  await deleteNamespace();
  if (isStopped) await startControllers();
  world.clock.advance(6 * 60_000);
  await world.until("no Secret or Lease of builds is left", async () => (await leftOfBuilds()).length === 0, 1_000);
  expect(await world.pods()).toEqual([]);
  await collect();
  expect(await blobOwners()).toEqual([]);
  expect(await usedBytes()).toBe(0);
});

it("blobs of images that are there stay", async () => {
  const image = new ImageUnderTest(world);
  await image.create();
  await store(await image.build(1), 1, 1_000);
  await collect();
  expect(await usedBytes()).toBe(1_000);
});
