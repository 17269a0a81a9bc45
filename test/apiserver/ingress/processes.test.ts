import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import type { DeliveryLog } from "../../../src/api/v1alpha1/index.ts";
import { makeNamespace, testApi, testCluster } from "../../support/cluster.ts";
import { startFaultProxy, type FaultProxy, type SeenRequest } from "../../support/fault-proxy.ts";
import { impersonating } from "../../support/process-accounts.ts";
import { testPrograms } from "../../support/programs.ts";
import { prepareIngressProcess, type IngressProcess } from "./processes.ts";
import { type Made, makeAutomation, runsOf } from "./automations.ts";
import { deliver } from "./sender.ts";
import { grantAccess, ingressUser, waitFor } from "./world.ts";

const deliveries = 1_000;
const kills = 10;
const senders = 16;
/** Starts and ends of processes on a busy machine. */
const timeout = 300_000;

let directory: string;
let proxy: FaultProxy;
let namespaces: { namespace: string; keysNamespace: string };
let pair: IngressProcess[];
let proxied: IngressProcess;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "runwright-ingress-"));
  namespaces = { namespace: await makeNamespace("tenant"), keysNamespace: await makeNamespace("keys") };
  proxy = await startFaultProxy(testCluster());
  const program = testPrograms().operator;
  const { keysNamespace } = namespaces;
  await grantAccess(keysNamespace);
  const [direct, throughProxy] = ["direct", "proxy"].map((name) => join(directory, `${name}.kubeconfig`)) as [
    string,
    string,
  ];
  const kubeconfig = await readFile(testCluster().kubeconfig, "utf8");
  await writeFile(direct, impersonating(kubeconfig, ingressUser), { mode: 0o600 });
  await writeFile(throughProxy, proxy.kubeconfig(ingressUser), { mode: 0o600 });
  const prepare = (kubeconfig: string): Promise<IngressProcess> =>
    prepareIngressProcess({ program, kubeconfig, keysNamespace });
  pair = [await prepare(direct), await prepare(direct)];
  proxied = await prepare(throughProxy);
});
afterEach(async () => {
  proxy.decide(undefined);
  await Promise.all([...pair, proxied].map((one) => one.kill()));
});
afterAll(async () => {
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
  /** Requests that brought no answer or a 503, so that their outcome is unknown. */
  unanswered: number;
}

it(
  "loses nothing it accepted and starts no keyed delivery twice, however often it is killed",
  { timeout: 2 * timeout },
  async () => {
    await Promise.all(pair.map((one) => one.start()));
    const made = await makeAutomation(namespaces);
    const records: Record[] = [];
    let isOver = false;
    const chaos = killAgainAndAgain().finally(() => (isOver = true));
    const sending = Array.from({ length: senders }, async () => {
      while (records.length < deliveries || !isOver) {
        const number = records.length;
        const record = { number, isKeyed: number % 4 > 0, triggered: 0, skipped: 0, unanswered: 0 };
        records.push(record);
        await sendUntilAnswered(made, record);
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
    // Stored once for each answer, and at most once more for each request of unknown outcome.
    const wrong = records.filter(({ number, isKeyed, triggered, unanswered }) => {
      const stored = runs.get(number) ?? 0;
      return !isKeyed && (stored < triggered || stored > triggered + unanswered);
    });
    expect({ lost, doubled, wrong }).toEqual({ lost: [], doubled: [], wrong: [] });
    expect(records.length).toBeGreaterThanOrEqual(deliveries);
    // Otherwise the kills met nothing.
    expect(records.some(({ unanswered }) => unanswered > 0)).toBe(true);
  },
);

/** Kills one of the processes at a random moment and starts it anew, so many times. */
async function killAgainAndAgain(): Promise<void> {
  for (let killed = 0; killed < kills; killed += 1) {
    await delay(Math.random() * 600);
    const victim = pair[Math.floor(Math.random() * 2)]!;
    await victim.kill();
    await victim.start();
  }
}

/** Sends to either process until one says 200, as a sender with retries does. */
async function sendUntilAnswered(made: Made, record: Record): Promise<void> {
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

it("answers all that is under way when it is asked to end, and logs neither bodies nor keys", { timeout }, async () => {
  await proxied.start();
  const made = await makeAutomation(namespaces);
  const planted = "planted-in-the-body";
  await deliver(proxied, made, { planted });
  await deliver(proxied, { ...made, key: "planted-key" }, { planted });
  await deliver(proxied, made, { planted }, { path: `/webhooks/automation/${made.id}?planted-query` });

  const isCreate = ({ method, path }: SeenRequest): boolean => method === "POST" && path.includes("/runs");
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  proxy.decide((request) => (isCreate(request) ? released : undefined));
  const before = proxy.seen.length;
  const underWay = deliver(proxied, made, { planted });
  await waitFor("the create is under way", () => proxy.seen.slice(before).some(isCreate));
  const ended = proxied.terminate();
  await waitFor("it is ending", async () => (await proxied.notReadyBecause())?.includes("drained") ?? false);
  release(undefined);
  const { status, headers } = await underWay;
  // On a slow machine the delivery has waited longer than it may: an answer too. Which is right is judged with a clock
  // in the test's hands, in endings.test.ts.
  expect([200, 503]).toContain(status);
  expect(headers.connection).toBe("close");
  expect(await ended).toBe(0);

  const lines = proxied.output().trim().split("\n");
  const requests = lines
    .map((line) => JSON.parse(line) as { deliveryId?: string; message: string })
    .filter(({ deliveryId }) => deliveryId);
  expect(requests).toHaveLength(4);
  expect(requests[0]).toMatchObject({ automation: made.id, bytes: 33 });
  expect(requests.at(-1)).toMatchObject({ deliveryId: headers["runwright-delivery-id"], status });
  expect(proxied.output()).not.toContain("planted");
  expect(proxied.output()).not.toContain(made.key);
});

async function isLogged({ namespace, name }: Made, id: string): Promise<boolean> {
  const path = `/apis/runwright.dev/v1alpha1/namespaces/${namespace}/deliverylogs/${name}`;
  const { status, body } = await testApi().send("GET", path);
  return status === 200 && ((body as DeliveryLog).spec.deliveries ?? []).some((delivery) => delivery.id === id);
}

/** The id of a delivery that was answered with 200. */
async function deliverOne(made: Made): Promise<string> {
  for (;;) {
    const { status, headers } = await deliver(proxied, made, {});
    if (status === 200) return String(headers["runwright-delivery-id"]);
    expect(status).toBe(503);
  }
}

it("writes the log of what it answered when it is asked to end, and adds to it after a kill", { timeout }, async () => {
  const made = await makeAutomation(namespaces);
  const ids: string[] = [];
  // The last write has 5 s, which a machine may once be too slow for.
  const endsWithAWrite = async (): Promise<boolean> => {
    await proxied.start();
    const id = await deliverOne(made);
    expect(await proxied.terminate()).toBe(0);
    ids.push(id);
    return isLogged(made, id);
  };
  await waitFor("it has written at its end", endsWithAWrite, timeout / 2);

  await proxied.start();
  await proxied.kill();
  await proxied.start();
  const id = await deliverOne(made);
  await waitFor("the next is in the log too", () => isLogged(made, id));
  expect(await isLogged(made, ids.at(-1)!)).toBe(true);
});
