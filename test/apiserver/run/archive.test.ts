import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";
import { type Automation, annotations, archiveLeaseName } from "../../../src/api/v1alpha1/index.ts";
import { readMark, type StoredMark } from "../../../src/domain/archive/stored-mark.ts";
import { ArchiveKeeper } from "../../../src/gateway/archive/archive-keeper.ts";
import { ArchiveStore } from "../../../src/gateway/archive/archive-store.ts";
import { type Database, openArchive } from "../../../src/gateway/archive/open-archive.ts";
import { leases } from "../../../src/kube/core-resources.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { testCluster } from "../../support/cluster.ts";
import { clientOf, until } from "../../support/kube.ts";
import { World } from "./world.ts";

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const history = { successfulLimit: 1, failedLimit: 1, skippedLimit: 1, ttlSeconds: 86_400, idempotencySeconds: 86_400 };

let world: World;
let folder: string;
let database: Database;
let running: { stop: AbortController; ended: Promise<void> }[];

beforeEach(async () => {
  running = [];
  folder = await mkdtemp(join(tmpdir(), "runwright-archive-"));
  database = (await openArchive({ mode: "embedded", file: join(folder, "archive.db") }, silent))!;
  world = await World.make(testCluster().kubeconfig);
});
afterEach(async () => {
  await Promise.all(running.map(stopped));
  await world.close();
  await database.destroy();
  await rm(folder, { recursive: true, force: true });
});

const release = (): { name: string; namespace: string } => world.release;

/** A gateway replica, in so far as it concerns the archive. */
function startReplica(): (typeof running)[number] & { keeper: ArchiveKeeper } {
  const kube = clientOf({ file: testCluster().kubeconfig });
  const keeper = new ArchiveKeeper({
    client: kube.client,
    leaseClient: kube.client,
    clock: systemClock,
    random: systemRandom,
    log: silent,
    store: new ArchiveStore(database, systemClock),
    namespaces: [world.namespace],
    retentionDays: 400,
    release: release(),
    identity: randomUUID(),
  });
  const stop = new AbortController();
  const replica = { keeper, stop, ended: keeper.run(stop.signal).then(() => kube.close()) };
  running.push(replica);
  return replica;
}

async function stopped({ stop, ended }: (typeof running)[number]): Promise<void> {
  stop.abort();
  await ended;
}

const leaseKey = () => ({ namespace: release().namespace, name: archiveLeaseName(release().name) });

async function shownMark(): Promise<StoredMark | undefined> {
  const lease = await world.client.find(leases, leaseKey());
  return readMark(lease?.metadata.annotations?.[annotations.stored]);
}

async function states(): Promise<Record<string, string>> {
  const rows = await database.selectFrom("runs").select(["name", "state"]).execute();
  return Object.fromEntries(rows.map(({ name, state }) => [name, state]));
}

/** Delivers once and has the agent succeed; returns the Run's name. */
async function completeOne(automation: Automation): Promise<string> {
  const { metadata } = await world.createDelivery(automation);
  const prompt = await world.untilPrompt(metadata.name!);
  await world.settlePrompt(prompt.metadata.name!, true, "Completed");
  await world.untilRun(metadata.name!, "Completed");
  return metadata.name!;
}

it("prunes nothing that the archive does not have, and all of it once it has", async () => {
  const automation = await world.createAutomation("triage", {
    history: { ...history, idempotencyKeys: 1 },
  });
  const operator = await world.startOperator({ archiveOf: release() });
  const runs: string[] = [];
  for (let made = 0; made < 3; made += 1) runs.push(await completeOne(automation));
  await world.rest(operator);
  expect((await world.runs()).map(({ metadata }) => metadata.name).sort()).toEqual(runs);

  startReplica();
  await world.until("history is pruned", async () => (await world.runs()).length === 1, 1_000);
  expect(await states()).toEqual(Object.fromEntries(runs.map((name) => [name, "completed"])));
  const outcomes = await database.selectFrom("sessions").select(["source", "outcome"]).execute();
  expect(outcomes).toEqual(runs.map(() => ({ source: "automation", outcome: "completed" })));
});

it("prunes at once when the archive is switched off, and brings what is left when it is switched on again", async () => {
  const automation = await world.createAutomation("triage", { history: { ...history, idempotencyKeys: 1 } });
  const waiting = await world.startOperator({ archiveOf: release() });
  const before = [await completeOne(automation), await completeOne(automation)];
  await world.rest(waiting);
  expect((await world.runs()).map(({ metadata }) => metadata.name).sort()).toEqual(before);
  await waiting.stop();

  await world.startOperator();
  await world.until("history is pruned", async () => (await world.runs()).length === 1, 1_000);
  startReplica();
  await until("the mark is shown", async () => (await shownMark()) !== undefined);
  expect(await states()).toEqual({ [before[1]!]: "completed" });
});

it("has one of two replicas write, and the other when that one stops", async () => {
  const automation = await world.createAutomation("triage");
  const replicas = [startReplica(), startReplica()];
  await until("the mark is shown", async () => (await shownMark()) !== undefined);
  const leaders = replicas.filter(({ keeper }) => keeper.behindMs() !== undefined);
  expect(leaders).toHaveLength(1);
  const [first] = leaders;
  await stopped(first!);
  const run = await world.createDelivery(automation);
  await until("the other one has stored it", async () => (await states())[run.metadata.name!] === "starting");
  await until(
    "its mark is past it",
    async () => Number((await shownMark())?.runs) >= Number(run.metadata.resourceVersion),
  );
});

it("shows no mark after the API server was set back until everything was stored anew", async () => {
  const automation = await world.createAutomation("triage");
  const replica = startReplica();
  await until("the mark is shown", async () => (await shownMark()) !== undefined);
  const stored = Number((await world.createDelivery(automation)).metadata.resourceVersion);
  await until("the mark goes on", async () => Number((await shownMark())?.runs) >= stored);
  const old = { [annotations.stored]: JSON.stringify({ runs: "1", sessions: "1", prompts: "1", pullRequests: "1" }) };
  const term = (): Promise<unknown> => database.selectFrom("writer").select("term").executeTakeFirst();
  const before = await term();
  await until("the old mark is on the lease", async () => {
    const lease = await world.client.get(leases, leaseKey());
    const replaced = world.client.replace(leases, { ...lease, metadata: { ...lease.metadata, annotations: old } });
    return replaced.then(
      () => true,
      () => false,
    );
  });
  await until("the term is over", () => replica.keeper.behindMs() === undefined);
  await until("a new mark is shown", async () => Number((await shownMark())?.runs) > 1);
  expect(await term()).not.toEqual(before);
});
