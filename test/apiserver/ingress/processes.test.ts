import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, beforeAll, expect, it } from "vitest";

import { buildBundles } from "../../../hack/build/bundles.ts";
import type { DeliveryLog, LoggedDelivery } from "../../../src/api/v1alpha1/index.ts";
import { makeNamespace, testApi, testCluster } from "../../support/cluster.ts";
import { startFaultProxy, type FaultProxy, type SeenRequest } from "../../support/fault-proxy.ts";
import { prepareIngressProcess, type IngressProcess } from "./processes.ts";
import { type Made, makeAutomation, runsOf } from "./automations.ts";
import { deliver, receipt } from "./sender.ts";
import { waitFor } from "./world.ts";

const deliveries = 2_000;
const kills = 10;
const senders = 16;

let directory: string;
let proxy: FaultProxy;
let namespaces: { namespace: string; keysNamespace: string };
let processes: IngressProcess[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "runwright-ingress-"));
  namespaces = { namespace: await makeNamespace("tenant"), keysNamespace: await makeNamespace("keys") };
  proxy = await startFaultProxy(testCluster());
  const throughProxy = join(directory, "proxy.kubeconfig");
  await writeFile(throughProxy, proxy.kubeconfig());
  const programs = join(directory, "programs");
  await buildBundles(programs);
  const program = join(programs, "runwright.mjs");
  const { keysNamespace } = namespaces;
  const kubeconfigs = [testCluster().kubeconfig, testCluster().kubeconfig, throughProxy];
  processes = await Promise.all(
    kubeconfigs.map((kubeconfig) => prepareIngressProcess({ program, kubeconfig, keysNamespace })),
  );
});
afterAll(async () => {
  await Promise.all(processes.map((one) => one.kill()));
  await proxy.close();
  await rm(directory, { recursive: true, force: true });
});

/** What one sender knows of one delivery of its own. */
interface Record {
  number: number;
  isKeyed: boolean;
  /** Answers with triggered 1. */
  triggered: number;
  skipped: number;
  /** Requests that brought no answer or a 503, so that nobody knows what came of them. */
  unanswered: number;
}

it(
  "loses nothing it accepted and starts no keyed delivery twice, however often it is killed",
  { timeout: 300_000 },
  async () => {
    const pair = processes.slice(0, 2);
    await Promise.all(pair.map((one) => one.start()));
    const made = await makeAutomation(namespaces);
    const records: Record[] = [];
    let isOver = false;
    const chaos = killAgainAndAgain(pair).finally(() => (isOver = true));
    const sending = Array.from({ length: senders }, async () => {
      while (records.length < deliveries || !isOver) {
        const number = records.length;
        const record = { number, isKeyed: number % 4 > 0, triggered: 0, skipped: 0, unanswered: 0 };
        records.push(record);
        await sendUntilAnswered(pair, made, record);
      }
    });
    await Promise.all([chaos, ...sending]);

    const runs = new Map<number, number>();
    for (const { spec } of await runsOf(made)) {
      const { number } = JSON.parse(spec.trigger.payload ?? "{}") as { number: number };
      runs.set(number, (runs.get(number) ?? 0) + 1);
    }
    const lost = records.filter(({ number }) => !runs.has(number));
    const doubled = records.filter(({ number, isKeyed }) => isKeyed && runs.get(number) !== 1);
    // Stored once for each answer, and at most once more for each request of which nobody knows.
    const wrong = records.filter(({ number, isKeyed, triggered, unanswered }) => {
      const stored = runs.get(number) ?? 0;
      return !isKeyed && (stored < triggered || stored > triggered + unanswered);
    });
    expect({ lost, doubled, wrong }).toEqual({ lost: [], doubled: [], wrong: [] });
    expect(records.length).toBeGreaterThanOrEqual(deliveries);
    // Otherwise the kills met nothing.
    expect(records.some(({ unanswered }) => unanswered > 0)).toBe(true);
    await Promise.all(pair.map((one) => one.kill()));
  },
);

/** Kills one of the processes at a random moment and starts it anew, so many times. */
async function killAgainAndAgain(pair: IngressProcess[]): Promise<void> {
  for (let killed = 0; killed < kills; killed += 1) {
    await delay(Math.random() * 600);
    const victim = pair[Math.floor(Math.random() * 2)]!;
    await victim.kill();
    await victim.start();
  }
}

/** Sends to either process until one says 200, as a sender with retries does. */
async function sendUntilAnswered(pair: IngressProcess[], made: Made, record: Record): Promise<void> {
  const { number, isKeyed } = record;
  const body = { number, ...(isKeyed ? { idempotencyKey: `delivery ${number}` } : {}) };
  for (let attempt = 0; attempt < 2_000; attempt += 1) {
    const sent = await deliver(pair[(number + attempt) % 2]!, made, body).catch((error: unknown) => {
      if (!isRefused(error)) record.unanswered += 1;
      return undefined;
    });
    if (sent?.status === 200) {
      const { triggered, skipped } = sent.body as { triggered: number; skipped: number };
      expect(triggered + skipped).toBe(1);
      record.triggered += triggered;
      record.skipped += skipped;
      return;
    }
    if (sent) {
      expect(sent.status).toBe(503);
      // The API server may have stored it after all, too late for the answer.
      record.unanswered += 1;
    }
    await delay(25);
  }
  throw new Error(`delivery ${number} was never answered`);
}

function isRefused(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ECONNREFUSED";
}

it("answers what is under way when it is asked to end, and logs neither bodies nor keys", async () => {
  const ingress = processes[2]!;
  await ingress.start();
  const made = await makeAutomation(namespaces);
  const planted = "planted-in-the-body";
  expect((await deliver(ingress, made, { planted })).status).toBe(200);
  expect((await deliver(ingress, { ...made, key: "planted-key" }, { planted })).status).toBe(401);
  expect(
    (await deliver(ingress, made, { planted }, { path: `/webhooks/automation/${made.id}?planted-query` })).status,
  ).toBe(200);

  const isCreate = ({ method, path }: SeenRequest): boolean => method === "POST" && path.includes("/runs");
  proxy.decide((request) => (isCreate(request) ? { kind: "delay", ms: 600 } : undefined));
  const before = proxy.seen.length;
  const underWay = Array.from({ length: 20 }, () => deliver(ingress, made, { planted }));
  await waitFor("creates are under way", () => proxy.seen.slice(before).filter(isCreate).length >= 20);
  const ended = ingress.terminate();
  const sent = await Promise.all(underWay);
  expect(sent.map(({ status, body }) => ({ status, body }))).toEqual(
    sent.map(() => ({ status: 200, body: receipt(1) })),
  );
  expect(await ended).toBe(0);
  expect(await runsOf(made)).toHaveLength(22);

  const lines = ingress.output().trim().split("\n");
  const requests = lines
    .map((line) => JSON.parse(line) as { deliveryId?: string; message: string })
    .filter(({ deliveryId }) => deliveryId);
  expect(requests).toHaveLength(23);
  expect(requests[0]).toMatchObject({ automation: made.id, outcome: "triggered", status: 200, bytes: 33 });
  expect(ingress.output()).not.toContain("planted");
  expect(ingress.output()).not.toContain(made.key);
});

const logged = async ({ namespace, name }: Made): Promise<LoggedDelivery[]> => {
  const path = `/apis/runwright.dev/v1alpha1/namespaces/${namespace}/deliverylogs/${name}`;
  const { status, body } = await testApi().send("GET", path);
  return status === 200 ? ((body as DeliveryLog).spec.deliveries ?? []) : [];
};

it("has written the log of what it answered when it is asked to end, and adds to it after a kill", async () => {
  const ingress = processes[2]!;
  const made = await makeAutomation(namespaces);
  const send = async (): Promise<unknown> => (await deliver(ingress, made, {})).headers["runwright-delivery-id"];
  const want: unknown[] = [];
  await ingress.start();
  for (let at = 0; at < 20; at += 1) want.push(await send());
  expect(await ingress.terminate()).toBe(0);
  expect(new Set((await logged(made)).map(({ id }) => id))).toEqual(new Set(want));

  await ingress.start();
  want.push(await send());
  await waitFor("it is in the log", async () => (await logged(made)).length === want.length);
  await ingress.kill();
  await ingress.start();
  want.push(await send());
  await waitFor("the next is in the log too", async () => (await logged(made)).length === want.length);
  expect(new Set((await logged(made)).map(({ id }) => id))).toEqual(new Set(want));
  await ingress.kill();
});
