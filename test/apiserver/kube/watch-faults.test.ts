import { getEventListeners } from "node:events";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Change } from "../../../src/kube/cache.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { type ConfigMap, configMaps } from "../../../src/kube/core-resources.ts";
import { Informer, type InformerOptions } from "../../../src/kube/informer.ts";
import { isNewer } from "../../../src/lib/resource-version.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { testCluster } from "../../support/cluster.ts";
import { type Break, type Fault, type FaultProxy, startFaultProxy } from "../../support/fault-proxy.ts";
import { clientOf, newNamespace, until } from "../../support/kube.ts";
import { changeObjects, createObjects, objectCount } from "./churn.ts";

let proxy: FaultProxy;
let direct: ReturnType<typeof clientOf>;
let broken: ReturnType<typeof clientOf>;
let namespace: string;

beforeAll(async () => {
  proxy = await startFaultProxy(testCluster());
  direct = clientOf({ file: testCluster().kubeconfig });
  broken = clientOf({ text: proxy.kubeconfig() });
  namespace = await newNamespace(direct.client, "faults");
  await createObjects(direct.client, namespace);
});

afterAll(async () => {
  await broken.close();
  await direct.close();
  await proxy.close();
});

/** Rebuilds the world from changes alone and notes every change that cannot be. */
function follower(): { take: (change: Change<ConfigMap>) => void; versions: Map<string, string>; wrong: string[] } {
  const versions = new Map<string, string>();
  const wrong: string[] = [];
  function take({ type, object }: Change<ConfigMap>): void {
    const { name = "", resourceVersion = "" } = object.metadata;
    const held = versions.get(name);
    if ((type === "added") !== (held === undefined)) wrong.push(`${type} ${name} after ${held ?? "nothing"}`);
    if (type === "updated" && !isNewer(resourceVersion, held)) wrong.push(`${name} went back to ${resourceVersion}`);
    if (type === "deleted") versions.delete(name);
    else versions.set(name, resourceVersion);
  }
  return { take, versions, wrong };
}

async function versionsOnServer(client: KubeClient): Promise<Record<string, string>> {
  const { items } = await client.list(configMaps, { namespace });
  return versionsOf(items);
}

function versionsOf(objects: readonly ConfigMap[]): Record<string, string> {
  const entries = objects.map(({ metadata }) => [metadata.name ?? "", metadata.resourceVersion ?? ""] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => a.localeCompare(b)));
}

function watching(informer: Informer<ConfigMap>): () => boolean {
  return () => proxy.seen.some(({ isWatch, status }) => isWatch && status === 200) && informer.hasSynced;
}

/** Where the watches began that were asked for from the given request on. */
function placesOfWatches(from = 0): string[] {
  const watches = proxy.seen.slice(from).filter(({ isWatch }) => isWatch);
  return watches.map(({ path }) => new URL(path, proxy.url).searchParams.get("resourceVersion") ?? "");
}

const breaks: { name: string; how: Break; wantList?: boolean }[] = [
  { name: "a reset connection", how: "reset" },
  { name: "a half-closed connection", how: "halfClose" },
  { name: "a connection that goes silent", how: "silence" },
  { name: "a regular end", how: "end" },
  { name: "a 410 in the stream", how: "expired", wantList: true },
];

const refusals: { name: string; faults: Fault[]; wantList?: boolean }[] = [
  { name: "410 to the next watch", faults: [{ kind: "answer", status: 410, reason: "Expired" }], wantList: true },
  {
    name: "429 to the next watch",
    faults: [{ kind: "answer", status: 429, reason: "TooManyRequests", retryAfterSeconds: 1 }],
  },
  { name: "500 to the next two watches", faults: [500, 500].map((status) => ({ kind: "answer", status })) },
  { name: "a refused connection, twice", faults: [{ kind: "refuse" }, { kind: "refuse" }] },
  { name: "a late answer", faults: [{ kind: "delay", ms: 700 }] },
  { name: "an answer that never comes", faults: [{ kind: "lose" }] },
  { name: "a line that is cut in the middle", faults: [{ kind: "break", how: "reset", afterBytes: 1_777 }] },
  {
    name: "a line that is half-closed in the middle",
    faults: [{ kind: "break", how: "halfClose", afterBytes: 2_777 }],
  },
];

interface Counts {
  lists: string[];
  drifted: number[];
  /** Listeners on the signals that end the informer's watches, right now. */
  listeners: () => number;
}

/** `audits`: no fresh list is asked for before it resolves. */
async function withInformer(
  { audits, ...options }: InformerOptions<ConfigMap> & { audits?: Promise<unknown> },
  use: (informer: Informer<ConfigMap>, counts: Counts) => Promise<void>,
): Promise<Counts> {
  const signals = new Set<AbortSignal>();
  const client: Pick<KubeClient, "list" | "watch"> = {
    async list(resource, listOptions) {
      if (listOptions?.metadataOnly) await audits;
      return broken.client.list(resource, listOptions);
    },
    watch(resource, watchOptions, sink) {
      if (watchOptions.signal) signals.add(watchOptions.signal);
      return broken.client.watch(resource, watchOptions, sink);
    },
  };
  const listeners = (): number => {
    return [...signals].reduce((sum, signal) => sum + getEventListeners(signal, "abort").length, 0);
  };
  const counts: Counts = { lists: [], drifted: [], listeners };
  const metrics = {
    listed: (_resource: string, reason: string) => void counts.lists.push(reason),
    watchEnded: () => undefined,
    drifted: (_resource: string, objects: number) => void counts.drifted.push(objects),
  };
  proxy.seen.length = 0;
  const informer = new Informer({ client, clock: systemClock, random: systemRandom, metrics }, configMaps, {
    namespace,
    ...options,
  });
  try {
    await use(informer, counts);
  } finally {
    await informer.stop();
  }
  return counts;
}

async function isEqualToTheServer(informer: Informer<ConfigMap>): Promise<Record<string, string>> {
  const want = await versionsOnServer(direct.client);
  await until("the cache is what the server lists", () => {
    return JSON.stringify(versionsOf(informer.list())) === JSON.stringify(want);
  });
  return want;
}

/** One informer through the proxy while every object changes; `harm` strikes in the middle. Returns its lists. */
async function survive(harm: () => void): Promise<string[]> {
  let socketsBefore = 0;
  const { lists, drifted } = await withInformer({ idleTimeoutMs: 1_000 }, async (informer, { listeners }) => {
    const { take, versions, wrong } = follower();
    informer.onChange(take);
    informer.start();
    await until("the watch is open", watching(informer));
    socketsBefore = proxy.connections();
    const listenersBefore = listeners();
    expect(listenersBefore).toBeGreaterThan(0);
    const [begin = ""] = placesOfWatches();

    const changes = changeObjects(direct.client, namespace, { round: 1 });
    await until(
      "the first changes came",
      () => versions.size > 0 && informer.list().some((one) => isNewer(one.metadata.resourceVersion, begin)),
    );
    const harmedAt = proxy.seen.length;
    harm();
    await changes;
    await changeObjects(direct.client, namespace, { round: 2, count: 100 });

    const want = await isEqualToTheServer(informer);
    expect(Object.keys(want).length).toBeGreaterThan(objectCount / 2);
    expect(Object.fromEntries([...versions].toSorted(([a], [b]) => a.localeCompare(b)))).toEqual(want);
    expect(wrong).toEqual([]);
    const places = placesOfWatches(harmedAt);
    expect(places.length).toBeGreaterThan(0);
    expect(places.filter((place) => !isNewer(place, begin))).toEqual([]);
    await until("no connection more than before", () => proxy.connections() <= socketsBefore);
    await until("listeners are back at their number", () => listeners() === listenersBefore);
  });
  await until("the watch is closed", () => proxy.connections() < socketsBefore);
  expect(drifted).toEqual([]);
  return lists;
}

describe("a watch over 1,000 changing objects", () => {
  it.each(breaks)("survives $name", async ({ how, wantList }) => {
    const lists = await survive(() => {
      expect(proxy.breakWatches(how)).toBe(1);
    });
    expect(lists).toEqual(wantList ? ["start", "expired"] : ["start"]);
  });

  it.each(refusals)("survives $name", async ({ faults, wantList }) => {
    const lists = await survive(() => {
      for (const fault of faults) proxy.inject(fault, { matches: ({ isWatch }) => isWatch });
      proxy.breakWatches("reset");
    });
    expect(lists).toEqual(wantList ? ["start", "expired"] : ["start"]);
  });
});

it("finds by a fresh list what a watch has kept to itself, and says how much", async () => {
  const changed = Promise.withResolvers<undefined>();
  const options = { idleTimeoutMs: 600_000, auditEveryMs: 200, audits: changed.promise };
  const { drifted } = await withInformer(options, async (informer) => {
    informer.start();
    await until("the watch is open", watching(informer));
    proxy.breakWatches("silence");
    await changeObjects(direct.client, namespace, { round: 3, count: 10 });
    changed.resolve(undefined);
    await isEqualToTheServer(informer);
  });
  expect(drifted.filter((count) => count > 0)).toEqual([10]);
});
