import { readFile } from "node:fs/promises";
import { randomUUID } from "node:crypto";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { Automation, keySecretName, labels, PrebuiltImage, Session } from "../../../src/api/v1alpha1/index.ts";
import { orphanController } from "../../../src/controllers/orphans/controller.ts";
import { integrationInformers, kindInformers } from "../../../src/controllers/kind-informers.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { FakeClock } from "../../../src/lib/fake-clock.ts";
import { testCluster } from "../../support/cluster.ts";
import { ControllersAtWork } from "../../support/controllers-at-work.ts";
import { clientOf, newNamespace, until } from "../../support/kube.ts";
import { grantProcess, newRelease, processClient } from "../../support/process-accounts.ts";

const minute = 60_000;

let client: KubeClient;
/** Of the controller's process. */
let controllerClient: KubeClient;
let tenant: string;
let release: { keysNamespace: string; sessionsNamespace: string };
let closers: (() => Promise<unknown>)[];

beforeEach(async () => {
  const connection = clientOf({ file: testCluster().kubeconfig });
  client = connection.client;
  const made = await newRelease(client);
  tenant = await newNamespace(client, "tenant");
  release = made;
  const user = await grantProcess(client, "controller", made);
  const controller = processClient("controller", await readFile(testCluster().kubeconfig, "utf8"), user);
  controllerClient = controller.client;
  closers = [() => connection.close(), () => controller.close()];
});

afterEach(async () => {
  for (const close of closers.reverse()) await close();
});

interface Given {
  aheadMs?: number;
  now?: Date;
  clock?: FakeClock;
  cachedNamespace: string;
  watchNamespaces?: string[];
}

/** The collector at an instant; its caches show one namespace alone. */
async function startCollector(given: Given): Promise<ControllersAtWork> {
  const { aheadMs = 0, now = new Date(Date.now() + aheadMs), cachedNamespace, watchNamespaces } = given;
  const { clock = new FakeClock(now.toISOString()) } = given;
  const reads = { client: controllerClient, clock: systemClock, random: systemRandom };
  const informers = {
    ...kindInformers(reads, { namespace: cachedNamespace }),
    ...integrationInformers(reads, { namespaces: [cachedNamespace] }),
  };
  const work = new ControllersAtWork(client, Object.values(informers));
  const controller = orphanController({
    client: controllerClient,
    clock,
    random: systemRandom,
    informers,
    release,
    watchNamespaces,
    metrics: work.metrics,
  });
  for (const informer of Object.values(informers)) informer.start();
  closers.push(
    () => Promise.all(Object.values(informers).map((informer) => informer.stop())),
    () => controller.stop(0),
  );
  await controller.start();
  return work;
}

/** The same Secret in both private namespaces, of an Automation there and a Session here. */
async function createPair(name: string, owner: { namespace?: string; uids?: [string, string] }): Promise<void> {
  const { namespace, uids: [automationUid, sessionUid] = [randomUUID(), randomUUID()] } = owner;
  const place = (label: string) => (namespace === undefined ? {} : { [label]: namespace });
  await createSecret(release.keysNamespace, name, {
    [labels.automationUid]: automationUid,
    ...place(labels.automationNamespace),
  });
  await createSecret(release.sessionsNamespace, name, {
    [labels.sessionUid]: sessionUid,
    ...place(labels.sessionNamespace),
  });
}

/** Those of keys are named as the controller names them, as it may delete no others. */
function createSecret(namespace: string, name: string, labelled: Record<string, string>): Promise<unknown> {
  const named = namespace === release.keysNamespace ? keySecretName(name) : name;
  return client.create(secrets, { metadata: { namespace, name: named, labels: labelled } });
}

async function left(namespace: string): Promise<(string | undefined)[]> {
  const { items } = await client.list(secrets, { namespace });
  const prefix = keySecretName("");
  return items
    .map(({ metadata: { name = "" } }) => (name.startsWith(prefix) ? name.slice(prefix.length) : name))
    .sort();
}

async function createOwners(namespace = tenant): Promise<{ automationUid: string; sessionUid: string }> {
  const automation = await client.create(Automation, {
    metadata: { namespace, name: "live" },
    spec: { instructions: "Fix it.", trigger: { type: "Manual" }, serviceAccountName: "runner" },
  } as Automation);
  const session = await client.create(Session, { metadata: { namespace, name: "live" }, spec: {} } as Session);
  return { automationUid: automation.metadata.uid ?? "", sessionUid: session.metadata.uid ?? "" };
}

async function createSecrets(): Promise<void> {
  const { automationUid, sessionUid } = await createOwners();
  await createSecret(release.keysNamespace, "live", { [labels.automationUid]: automationUid });
  await createSecret(release.keysNamespace, "orphan", { [labels.automationUid]: randomUUID() });
  await createSecret(release.keysNamespace, "stranger", {});
  await createSecret(release.sessionsNamespace, "live", { [labels.sessionUid]: sessionUid });
  await createSecret(release.sessionsNamespace, "orphan", { [labels.sessionUid]: randomUUID() });
}

it("deletes what is 5 minutes old and whose owner is gone, and nothing else", async () => {
  await createSecrets();
  await startCollector({ aheadMs: 6 * minute, cachedNamespace: tenant });
  await until("orphans are gone", async () => {
    const names = [...(await left(release.keysNamespace)), ...(await left(release.sessionsNamespace))];
    return !names.includes("orphan");
  });
  expect(await left(release.keysNamespace)).toEqual(["live", "stranger"]);
  expect(await left(release.sessionsNamespace)).toEqual(["live"]);
});

it.each([
  ["while the controller runs", true],
  ["while no controller runs", false],
])(
  "deletes the bundle of a build whose PrebuiltImage was deleted %s, and not that of another's",
  async (_, isRunning) => {
    const spec = { repositoryRef: { name: "web" }, sandboxClassName: "c", serviceAccountName: "r", suspend: false };
    const [stays = "", goes = ""] = await Promise.all(
      ["stays", "goes"].map(async (name) => {
        const image = await client.create(PrebuiltImage, { metadata: { namespace: tenant, name }, spec });
        await createSecret(release.sessionsNamespace, name, {
          [labels.ownerUid]: image.metadata.uid ?? "",
          [labels.ownerNamespace]: tenant,
        });
        return name;
      }),
    );
    const remove = (): Promise<unknown> => client.delete(PrebuiltImage, { namespace: tenant, name: goes });
    if (!isRunning) await remove();
    const work = await startCollector({ aheadMs: 6 * minute, cachedNamespace: tenant });
    if (isRunning) {
      await until("it has looked", () => work.reconciles.length > 0);
      expect(await left(release.sessionsNamespace)).toEqual([goes, stays]);
      await remove();
    }
    await until("it is gone", async () => !(await left(release.sessionsNamespace)).includes(goes));
    expect(await left(release.sessionsNamespace)).toEqual([stays]);
  },
);

it("believes the API server and not a cache that lacks an owner", async () => {
  await createSecrets();
  await startCollector({ aheadMs: 6 * minute, cachedNamespace: release.keysNamespace });
  await until("orphans are gone", async () => {
    const names = [...(await left(release.keysNamespace)), ...(await left(release.sessionsNamespace))];
    return !names.includes("orphan");
  });
  expect(await left(release.keysNamespace)).toEqual(["live", "stranger"]);
  expect(await left(release.sessionsNamespace)).toEqual(["live"]);
});

it("collects at once when an owner goes", async () => {
  await createSecrets();
  await startCollector({ aheadMs: 6 * minute, cachedNamespace: tenant });
  await until("orphans are gone", async () => !(await left(release.keysNamespace)).includes("orphan"));
  await client.delete(Automation, { namespace: tenant, name: "live" });
  await until("the key is gone", async () => !(await left(release.keysNamespace)).includes("live"));
});

it("deletes the bundle of a session that goes, however young, and one that was about to be created, within a minute", async () => {
  const { sessionUid } = await createOwners();
  const bundle = { [labels.sessionUid]: sessionUid, [labels.sessionNamespace]: tenant };
  await createSecret(release.sessionsNamespace, "young", bundle);
  await createSecret(release.sessionsNamespace, "stranger", { [labels.sessionUid]: randomUUID() });
  const clock = new FakeClock(new Date().toISOString());
  const work = await startCollector({ clock, cachedNamespace: tenant });
  await until("all namespaces were looked at", () => work.reconciles.length === 3);
  await client.delete(Session, { namespace: tenant, name: "live" });
  await until("the bundle is gone", async () => !(await left(release.sessionsNamespace)).includes("young"));
  await createSecret(release.sessionsNamespace, "late", bundle);
  await until("it has looked after the deletion", () => work.reconciles.length === 4);
  clock.advance(minute);
  await until("that one is gone", async () => !(await left(release.sessionsNamespace)).includes("late"));
  expect(await left(release.sessionsNamespace)).toEqual(["stranger"]);
});

describe("where some namespaces are watched", () => {
  it("deletes what is of these and whose owner is gone, and nothing else", async () => {
    const other = await newNamespace(client, "other");
    for (const namespace of [tenant, other]) {
      const { automationUid, sessionUid } = await createOwners(namespace);
      await createPair(`live-in-${namespace}`, { namespace, uids: [automationUid, sessionUid] });
      await createPair(`gone-from-${namespace}`, { namespace });
    }
    await createPair("elsewhere", { namespace: `${tenant}-2` });
    await createPair("nowhere", {});
    // Its caches lack the owner in the other namespace.
    const work = await startCollector({
      aheadMs: 6 * minute,
      cachedNamespace: tenant,
      watchNamespaces: [tenant, other],
    });
    await until("all namespaces were looked at", () => work.reconciles.length === 3);
    const kept = ["elsewhere", `live-in-${tenant}`, `live-in-${other}`, "nowhere"].sort();
    expect(await left(release.keysNamespace)).toEqual(kept);
    expect(await left(release.sessionsNamespace)).toEqual(kept);
    expect(new Set(work.reconciles)).toEqual(new Set(["orphan requeueAfter"]));
  });

  it.each([
    { name: "keeps what is a moment younger than 5 minutes", ageMs: 5 * minute - 1, want: ["gone"] },
    { name: "takes what is 5 minutes old", ageMs: 5 * minute, want: [] },
  ])("$name", async ({ ageMs, want }) => {
    await createPair("gone", { namespace: tenant });
    const { metadata } = await client.get(secrets, { namespace: release.sessionsNamespace, name: "gone" });
    const now = new Date(Date.parse(metadata.creationTimestamp ?? "") + ageMs);
    const work = await startCollector({ now, cachedNamespace: tenant, watchNamespaces: [tenant] });
    await until("all namespaces were looked at", () => work.reconciles.length === 3);
    expect(await left(release.sessionsNamespace)).toEqual(want);
  });
});
