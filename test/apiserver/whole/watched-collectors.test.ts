import { randomUUID } from "node:crypto";
import { mkdtemp, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Registry } from "prom-client";
import { afterAll, beforeAll, expect, it } from "vitest";

import { keySecretName, labels, Prompt, sandboxComponent, Session } from "../../../src/api/v1alpha1/index.ts";
import type { DirectoryStore } from "../../../src/blobs/directory-store.ts";
import { readControllerConfig } from "../../../src/config/controller.ts";
import { startControllers } from "../../../src/controllers/start-controllers.ts";
import { collectorTimes } from "../../../src/gateway/blobs/blob-collector.ts";
import { notePlace } from "../../../src/gateway/blobs/blob-places.ts";
import { startGateway } from "../../../src/gateway/start-gateway.ts";
import { leases, pods, secrets, serviceAccounts } from "../../../src/kube/core-resources.ts";
import { type Clock, systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { type KubeObject, ownerReferenceTo, type Resource } from "../../../src/lib/resource.ts";
import { releaseLabel } from "../../../src/controllers/sandbox/labels.ts";
import { defineKubeMetrics } from "../../../src/telemetry/kube-metrics.ts";
import { createLogger } from "../../../src/telemetry/logger.ts";
import { defineImageMetrics } from "../../../src/controllers/metrics/image-metrics.ts";
import { definePoolMetrics } from "../../../src/controllers/metrics/pool-metrics.ts";
import { defineRunMetrics } from "../../../src/controllers/metrics/run-metrics.ts";
import { openDirectoryStore } from "../../support/directory-store.ts";
import { clientOf, newNamespace, until } from "../../support/kube.ts";
import { MovableClock } from "../../support/movable-clock.ts";
import { World } from "./world.ts";

/** What was made just now is old enough to be collected. */
const ahead: Clock = { ...systemClock, now: () => new Date(Date.now() + 360_000) };

let world: World;
/** A namespace that is not watched. */
let elsewhere: string;
let release: {
  name: string;
  namespace: string;
  keysNamespace: string;
  sessionsNamespace: string;
  tokensNamespace: string;
};
let directory: string;
let gatewayClock: MovableClock;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  world = await World.make({ watchesTenantAlone: true });
  closers.push(() => world.close());
  elsewhere = await newNamespace(world.client, "elsewhere");
  await world.client.create(serviceAccounts, { metadata: { name: "runner", namespace: elsewhere } });
  release = { name: "runwright", ...world.release, tokensNamespace: "tokens" };
  directory = await mkdtemp(join(tmpdir(), "runwright-blobs-"));
  closers.push(() => rm(directory, { recursive: true }));
  for (const namespace of [world.namespace, elsewhere]) await leaveBehind(namespace);
  const { users } = world;
  startTheControllers(users.controller);
  await startTheGateway(users.gateway);
});
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

/** What a Session and an Automation that are gone may have left behind. */
async function leaveBehind(namespace: string): Promise<void> {
  const { client } = world;
  const { keysNamespace, sessionsNamespace } = release;
  const sessionUid = randomUUID();
  const ofSession = { [labels.sessionUid]: sessionUid, [labels.sessionName]: "gone" };
  const key = { [labels.automationUid]: randomUUID(), [labels.automationNamespace]: namespace };
  await client.create(secrets, {
    metadata: { namespace: keysNamespace, name: keySecretName(`of-${namespace}`), labels: key },
  });
  const metadata = {
    namespace: sessionsNamespace,
    name: `of-${namespace}`,
    labels: { ...ofSession, [labels.sessionNamespace]: namespace },
  };
  const bundle = await client.create(secrets, { metadata });
  await client.create(leases, {
    metadata: { ...metadata, ownerReferences: [ownerReferenceTo(secrets, bundle, false)] },
  });
  const ours = { [labels.component]: sandboxComponent, [labels.release]: releaseLabel(release) };
  await client.create(pods, {
    metadata: { namespace, name: `of-${namespace}`, labels: { ...ofSession, ...ours } },
    spec: { serviceAccountName: "runner", containers: [{ name: "runtime", image: "example.invalid/none" }] },
  });
  await client.create(Prompt, {
    metadata: { namespace, name: `of-${namespace}`, labels: ofSession },
    spec: { sessionRef: { name: "gone" }, text: "Do it." },
  });
}

/** Of the kinds that a gone Session leaves behind, those that are left, each by the namespace that it was of. */
async function left(): Promise<Record<string, string[]>> {
  const namesOf = async (resource: Resource<KubeObject>, namespace: string, labelSelector?: string) => {
    const { items } = await world.client.list(resource, { namespace, labelSelector, metadataOnly: true });
    return items.map(({ metadata }) => metadata.name ?? "");
  };
  const inBoth = async (resource: Resource<KubeObject>) =>
    (await Promise.all([world.namespace, elsewhere].map((namespace) => namesOf(resource, namespace)))).flat();
  return {
    keys: await namesOf(secrets, release.keysNamespace, labels.automationUid),
    bundles: await namesOf(secrets, release.sessionsNamespace, labels.sessionUid),
    leases: await namesOf(leases, release.sessionsNamespace, labels.sessionUid),
    pods: await inBoth(pods),
    prompts: await inBoth(Prompt),
  };
}

function common(registry: Registry) {
  const logger = createLogger({ process: "controller", level: "fatal" });
  return { logger, registry, release, watchNamespaces: [world.namespace], podName: "p" };
}

function startTheControllers(user: string | undefined): void {
  const connection = clientOf({ text: world.proxies.controller.kubeconfig(user) });
  const registry = new Registry();
  const environment = { RUNWRIGHT_SANDBOX_IMAGE: "sandbox:1", RUNWRIGHT_GATEWAY_URL: "wss://localhost:8443" };
  const controllers = startControllers({
    ...common(registry),
    ...readControllerConfig(environment, release),
    client: connection.client,
    electionClient: connection.client,
    clock: ahead,
    random: systemRandom,
    metrics: defineKubeMetrics(registry),
    runMetrics: defineRunMetrics(registry),
    imageMetrics: defineImageMetrics(registry),
    poolMetrics: definePoolMetrics(registry),
    identity: randomUUID(),
  });
  closers.push(
    () => connection.close(),
    () => controllers.close(),
  );
}

async function startTheGateway(user: string | undefined): Promise<void> {
  const connection = clientOf({ text: world.proxies.gateway.kubeconfig(user) });
  gatewayClock = new MovableClock();
  const gateway = await startGateway({
    blobBudgets: {},
    limits: { connectionsPerAddress: 256, streamsPerNamespace: 512, peopleConnectionsPerAddress: 1_024 },
    ...common(new Registry()),
    client: connection.client,
    clock: gatewayClock,
    random: systemRandom,
    blobs: await openDirectoryStore(directory),
    github: { apiURLs: [] },
    tunnelRequestHeaders: [],
    ...{ sandboxPort: 0, peoplePort: 0, deliveryBaseUrl: "https://hooks.example.com" },
  });
  closers.push(
    () => connection.close(),
    () => gateway.close(),
  );
  await until("the gateway is ready", () => gateway.notReadyBecause() === undefined);
}

async function ownersIn(blobs: DirectoryStore): Promise<string[]> {
  const found: string[] = [];
  for await (const owner of blobs.owners()) found.push(owner);
  return found;
}

it("collect what has no owner in a watched namespace, and touch nothing of another", async () => {
  const ofElsewhere = [`of-${elsewhere}`];
  const kept = {
    keys: ofElsewhere.map(keySecretName),
    bundles: ofElsewhere,
    leases: ofElsewhere,
    pods: ofElsewhere,
    prompts: ofElsewhere,
  };
  let found: Record<string, string[]> = {};
  await until("what is left is of the other namespace", async () => {
    found = await left();
    return Object.values(found).every((names) => !names.some((name) => name.endsWith(`of-${world.namespace}`)));
  });
  expect(found).toEqual(kept);
  const { seen } = world.proxies.controller;
  expect(seen.filter(({ path, status }) => path.includes(elsewhere) || status === 403)).toEqual([]);
});

it("delete blobs of Sessions that are gone from a watched namespace, and of no others", async () => {
  const live = await world.client.create(Session, {
    metadata: { namespace: world.namespace, name: "live" },
    spec: {},
  } as Session);
  const blobs = await openDirectoryStore(directory);
  const uidOf = (digit: string): string => `${digit.repeat(8)}-1111-1111-1111-111111111111`;
  const longAgo = new Date(Date.now() - collectorTimes.youngMs - 60_000);
  const store = async (sessionUid: string, namespace: string | undefined, age = longAgo): Promise<void> => {
    const noted = namespace === undefined ? [] : [`${sessionUid}/namespace/${namespace}`];
    if (namespace !== undefined) await notePlace(blobs, { sessionUid, namespace });
    await blobs.put(`${sessionUid}/events/one`, Buffer.from("{}"));
    for (const key of [...noted, `${sessionUid}/events/one`]) await utimes(join(directory, key), age, age);
  };
  const [ofElsewhere, ofNobodyKnows, young, gone] = ["0", "1", "2", "f"].map(uidOf) as [string, string, string, string];
  await store(ofElsewhere, elsewhere);
  await store(ofNobodyKnows, undefined);
  await store(young, world.namespace, new Date());
  await store(live.metadata.uid ?? "", world.namespace);
  await store(gone, world.namespace);
  gatewayClock.move(collectorTimes.firstMs);

  const owners = (): Promise<string[]> => ownersIn(blobs);
  // The last in the order in which they are looked at.
  await until("what is gone is deleted", async () => !(await owners()).includes(gone));
  expect(await owners()).toEqual([ofElsewhere, ofNobodyKnows, young, live.metadata.uid].sort());
  const { seen } = world.proxies.gateway;
  expect(seen.filter(({ path, status }) => path.includes(elsewhere) || status === 403)).toEqual([]);
});
