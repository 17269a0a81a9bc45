import { setTimeout as delay } from "node:timers/promises";

import { labels, Run, Session } from "../../src/api/v1alpha1/index.ts";
import { leases, pods, secrets } from "../../src/kube/core-resources.ts";
import { openEntrance } from "../e2e/support/delivery.ts";
import { isRolledOut } from "../e2e/support/deployments.ts";
import { release } from "../e2e/support/install.ts";
import type { Narrator } from "../e2e/support/narrator.ts";
import { kubectl, type Workbench } from "../e2e/support/workbench.ts";
import { randomOf, wholeNumber } from "../kills/random.ts";
import { Deliveries } from "../support/deliveries.ts";
import { deployments } from "../support/core-resources.ts";
import { newNamespace } from "../support/kube.ts";
import { makeWebhookTenant } from "../support/webhook-tenant.ts";
import { kill, revive, type Targets, turns, type Victim, victimsOn } from "./victims.ts";

/** A campaign on a release that uses the stores. */
export interface ChaosOptions extends Targets {
  bench: Workbench;
  narrator: Narrator;
  seed: number;
  /** How long it kills; longer where not all victims had their turn. */
  seconds: number;
  /** Senders at once. */
  lanes: number;
  /** Whether it waits until the bucket has nothing of the sessions that it deletes at the end: the gateway looks every 10 minutes. */
  waitsForBlobs: boolean;
}

/** What a campaign came to. */
export interface Outcome {
  kills: Partial<Record<Victim, number>>;
  /** Kills that could not be done, as what does them was away itself. */
  missed: number;
  accepted: number;
  verdicts: Record<string, number>;
  violations: string[];
}

/** Between two kills, and between a kill and the new start, in milliseconds. */
const betweenMs = { least: 500, most: 4_000 };
const awayMs = { least: 0, most: 3_000 };
/** How long what was accepted may take to end, and to be cleared up. */
const restMs = 600_000;
/** How long the bucket may keep blobs of a deleted session: they must be 5 minutes old, and the gateway looks every 10. */
const blobsMs = 1_200_000;

const system = release.namespace;
const keysNamespace = `${system}-${release.name}-keys`;
const sessionsNamespace = `${system}-${release.name}-sessions`;

/** Kills while deliveries come and their sandboxes work, and holds what is there afterwards against what was accepted. */
export async function chaos(options: ChaosOptions): Promise<Outcome> {
  const { bench, lanes } = options;
  const { client } = bench;
  const namespace = await newNamespace(client, "chaos");
  const entrance = await openEntrance(bench);
  const command = ["sh", "-c", "cat > /dev/null; sleep 1; echo done"];
  const resources = { requests: { cpu: "20m", memory: "64Mi" }, limits: { cpu: "1", memory: "512Mi" } };
  const classSpec = { agent: { command, protocol: "exec", permissionRequests: "Allow" } as const, resources };
  const key = await makeWebhookTenant(client, { namespace, keysNamespace, className: namespace, classSpec });
  const url = `${entrance.baseUrl}/webhooks/automation/${namespace}.fix`;
  const deliveries = new Deliveries({ client, namespace, url, key, runMs: restMs });
  try {
    await deliveries.send();
    const over = new AbortController();
    const working = Array.from({ length: lanes }, () => deliveries.keepSending(over.signal));
    const killed = await killSome(options).finally(() => over.abort());
    await Promise.all(working);
    const left = await lastOf(() => leftovers(bench, namespace));
    const unarchived = await lastOf(() => notArchived(options, deliveries.runs));
    const violations = [
      ...deliveries.violations(),
      ...left,
      ...unarchived,
      ...(await faultsOfBucket(options, namespace)),
    ];
    return { ...killed, accepted: deliveries.accepted.length, verdicts: deliveries.verdicts, violations };
  } finally {
    await deliveries.close();
    entrance.close();
    const names = [`namespace/${namespace}`, `sandboxclass/${namespace}`];
    await kubectl(bench, ["delete", "--wait=false", "--ignore-not-found", ...names]);
  }
}

async function killSome(options: ChaosOptions): Promise<Pick<Outcome, "kills" | "missed">> {
  const { cluster, narrator, seed, seconds } = options;
  const random = randomOf(seed);
  const kills: Outcome["kills"] = {};
  let missed = 0;
  const victims = victimsOn(cluster);
  const endMs = performance.now() + seconds * 1_000;
  const isOver = (): boolean => performance.now() > endMs && victims.every((victim) => kills[victim] !== undefined);
  for (const victim of turns(victims, random)) {
    if (isOver()) break;
    await delay(wholeNumber(random, betweenMs.least, betweenMs.most));
    const isKilled = await kill(options, victim).then(
      () => true,
      () => false,
    );
    narrator.say(isKilled ? `${victim} is killed` : `${victim} could not be killed`);
    if (isKilled) kills[victim] = (kills[victim] ?? 0) + 1;
    else missed += 1;
    await delay(wholeNumber(random, awayMs.least, awayMs.most));
    await revive(options, victim);
  }
  return { kills, missed };
}

/** What is still found when all had its time. */
async function lastOf(find: () => Promise<string[]>, limitMs = restMs): Promise<string[]> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    const found = await find().catch((error: unknown) => [String(error)]);
    if (found.length === 0 || performance.now() > endMs) return found;
    await delay(1_000);
  }
}

/** Runs that the archive does not have as ended. */
async function notArchived({ stores }: ChaosOptions, runs: readonly string[]): Promise<string[]> {
  const archived = new Set(await stores.archivedRuns());
  return runs.filter((uid) => !archived.has(uid)).map((uid) => `the Run ${uid} is not in the archive`);
}

/** Whether sessions have stored nothing in the bucket, and, where that is waited for, what stays there once they are deleted. */
async function faultsOfBucket({ bench, stores, waitsForBlobs }: ChaosOptions, namespace: string): Promise<string[]> {
  const { items } = await bench.client.list<Session>(Session, { namespace });
  const sessions = new Set(items.map(({ metadata }) => metadata.uid ?? ""));
  const withBlobs = async (): Promise<string[]> =>
    (await stores.sessionsWithBlobs()).filter((uid) => sessions.has(uid));
  if ((await withBlobs()).length === 0) return ["no session has stored anything in the bucket"];
  if (!waitsForBlobs) return [];
  await kubectl(bench, ["delete", "--wait=false", `namespace/${namespace}`]);
  return lastOf(async () => (await withBlobs()).map((uid) => `blobs of the session ${uid} are left`), blobsMs);
}

async function leftovers({ client }: Workbench, namespace: string): Promise<string[]> {
  const { items: away } = await client.list(deployments, { namespace: system });
  const labelSelector = `${labels.sessionNamespace}=${namespace}`;
  const [runs, podsLeft, bundles, leasesLeft] = await Promise.all([
    client.list<Run>(Run, { namespace }),
    client.list(pods, { namespace }),
    client.list(secrets, { namespace: sessionsNamespace, labelSelector }),
    client.list(leases, { namespace: sessionsNamespace, labelSelector }),
  ]);
  const named = { Pod: podsLeft, Secret: bundles, Lease: leasesLeft };
  const unended = runs.items.filter(({ status }) => !status?.completionTime);
  return [
    ...away.filter((one) => !isRolledOut(one)).map(({ metadata }) => `${metadata.name ?? ""} is not back`),
    ...unended.map(({ metadata }) => `Run ${metadata.name ?? ""} has not ended`),
    ...Object.entries(named).flatMap(([kind, { items }]) =>
      items.map(({ metadata }) => `${kind} ${metadata.name ?? ""} is left`),
    ),
  ];
}
