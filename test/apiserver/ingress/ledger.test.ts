import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { DeliveryLog, LoggedDelivery } from "../../../src/api/v1alpha1/index.ts";
import { KubeClient } from "../../../src/kube/client.ts";
import { HttpTransport } from "../../../src/kube/http-transport.ts";
import { FakeClock } from "../../../src/lib/fake-clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { ClusterDeliveryLedger } from "../../../src/ingress/delivery-log/delivery-ledger.ts";
import { testApi, testCluster } from "../../support/cluster.ts";
import { startFaultProxy, type Fault, type FaultProxy, type SeenRequest } from "../../support/fault-proxy.ts";
import { deleteAutomation, makeAutomation, type Made } from "./automations.ts";
import { grantAccess, startWorld, type World, waitFor } from "./world.ts";

/** A ledger that writes as the ingress's account, and whose time a test moves. */
interface Writer {
  ledger: ClusterDeliveryLedger;
  clock: FakeClock;
  proxy: FaultProxy;
  /** What came of its writes. */
  outcomes: string[];
  /** Moves time until so many writes have ended. */
  untilWrites(count: number): Promise<void>;
}

let world: World;
let token: string;
let made: Made;
const closers: (() => Promise<void>)[] = [];

beforeAll(async () => {
  world = await startWorld(0);
  token = await grantAccess(world.keysNamespace);
});
beforeEach(async () => (made = await makeAutomation(world)));
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(() => world.close());

async function startWriter(): Promise<Writer> {
  const proxy = await startFaultProxy(testCluster());
  const clock = new FakeClock();
  const credentials = { tls: {}, headers: { authorization: `Bearer ${token}` } };
  const access = { server: proxy.url, credentials: () => Promise.resolve(credentials) };
  const transport = new HttpTransport({ access, clock, size: 4 });
  const outcomes: string[] = [];
  const ledger = new ClusterDeliveryLedger({
    client: new KubeClient({ transport, clock, fieldManager: "runwright-ingress" }),
    clock,
    random: systemRandom,
    knownUid: ({ name }) => (name === made.name ? made.uid : undefined),
    metrics: { wroteLog: (outcome) => void outcomes.push(outcome), droppedFromLog: () => undefined },
  });
  closers.push(async () => {
    await transport.close();
    await proxy.close();
  });
  const untilWrites = async (count: number): Promise<void> => {
    while (outcomes.length < count) {
      const before = outcomes.length;
      clock.advance(5_000);
      await waitFor("a write has ended", () => outcomes.length > before);
    }
  };
  return { ledger, clock, proxy, outcomes, untilWrites };
}

let noted = 0;
function note({ ledger }: Writer, rest: Partial<LoggedDelivery> = {}): string {
  noted += 1;
  const id = `delivery-${noted}`;
  const time = new Date(Date.UTC(2026, 4, 4) + noted).toISOString();
  ledger.note(made, { id, time, decision: "Started", message: "", httpStatus: 200, bodyBytes: 2, ...rest });
  return id;
}

const logPath = (): string => `/apis/runwright.dev/v1alpha1/namespaces/${made.namespace}/deliverylogs/${made.name}`;

async function readLog(): Promise<DeliveryLog | undefined> {
  const { status, body } = await testApi().send("GET", logPath());
  return status === 200 ? (body as DeliveryLog) : undefined;
}

async function idsInLog(): Promise<string[]> {
  return ((await readLog())?.spec.deliveries ?? []).map(({ id }) => id);
}

const isWrite = ({ isWrite }: SeenRequest): boolean => isWrite;
const isRead = ({ method }: SeenRequest): boolean => method === "GET";

it("makes the log at the first delivery, owned by its automation, and adds to it", async () => {
  const writer = await startWriter();
  const first = note(writer, { decision: "Filtered", body: "{}" });
  await writer.untilWrites(1);
  const log = await readLog();
  expect(log?.metadata.ownerReferences).toEqual([
    { apiVersion: "runwright.dev/v1alpha1", kind: "Automation", name: made.name, uid: made.uid, controller: true },
  ]);
  expect(log?.spec.deliveries).toMatchObject([{ id: first, decision: "Filtered", body: "{}" }]);
  const second = note(writer);
  await writer.untilWrites(2);
  expect(await idsInLog()).toEqual([second, first]);
});

it("stores the largest log that there can be", async () => {
  const writer = await startWriter();
  const message = "é".repeat(1_024);
  for (let at = 0; at < 96; at += 1) note(writer, { message, runName: "r".repeat(63) });
  for (let at = 0; at < 4; at += 1) note(writer, { message, decision: "Filtered", body: "é".repeat(4_096) });
  await writer.untilWrites(1);
  expect(writer.outcomes).toEqual(["stored"]);
  const deliveries = (await readLog())?.spec.deliveries ?? [];
  expect(deliveries).toHaveLength(100);
  expect(deliveries.filter(({ body }) => body?.length === 4_096)).toHaveLength(4);
});

it("writes once in 5 s whatever comes", async () => {
  const writer = await startWriter();
  for (let second = 1; second <= 20; second += 1) {
    for (let at = 0; at < 50; at += 1) note(writer);
    for (let at = 0; at < 50; at += 1) writer.ledger.countRefusal(made, "WrongKey", new Date());
    const due = Math.floor((second + 4) / 5);
    writer.clock.advance(1_000);
    await waitFor("the write that was due has ended", () => writer.outcomes.length === due);
  }
  expect(writer.proxy.seen.filter(isWrite)).toHaveLength(4);
  expect((await readLog())?.spec.refusals).toMatchObject([{ reason: "WrongKey", count: 800 }]);
});

describe("two replicas", () => {
  it("keep each other's entries when both write at once", async () => {
    const [one, other] = [await startWriter(), await startWriter()];
    const begin = note(one);
    await one.untilWrites(1);
    const [mine, theirs] = [note(one), note(other)];
    one.ledger.countRefusal(made, "WrongKey", new Date());
    other.ledger.countRefusal(made, "WrongKey", new Date());
    // The other writes between this one's read and its write.
    one.proxy.inject({ kind: "between", run: () => other.untilWrites(1) }, { matches: isRead });
    await one.untilWrites(2);
    expect(one.proxy.seen.filter(isWrite).map(({ status }) => status)).toEqual([201, 409, 200]);
    expect(await idsInLog()).toEqual([theirs, mine, begin]);
    expect((await readLog())?.spec.refusals).toMatchObject([{ reason: "WrongKey", count: 2 }]);
  });

  it("come to one log when both make it at once", async () => {
    const [one, other] = [await startWriter(), await startWriter()];
    const [mine, theirs] = [note(one), note(other)];
    one.proxy.inject({ kind: "between", run: () => other.untilWrites(1) }, { matches: isRead });
    await one.untilWrites(1);
    expect(one.proxy.seen.filter(isWrite).map(({ status }) => status)).toEqual([409, 200]);
    expect(await idsInLog()).toEqual([theirs, mine]);
  });

  it("go on when a person deletes the log in between", async () => {
    const one = await startWriter();
    note(one);
    await one.untilWrites(1);
    const mine = note(one);
    const remove = async (): Promise<void> => {
      await testApi().send("DELETE", logPath());
    };
    one.proxy.inject({ kind: "between", run: remove }, { matches: isRead });
    await one.untilWrites(2);
    expect(await idsInLog()).toEqual([mine]);
  });
});

describe("a request that fails", () => {
  const faults: { name: string; fault: Fault }[] = [
    { name: "is refused", fault: { kind: "answer", status: 403, reason: "Forbidden" } },
    { name: "meets a server error", fault: { kind: "answer", status: 500 } },
    { name: "is throttled", fault: { kind: "answer", status: 429, reason: "TooManyRequests" } },
    { name: "never arrives", fault: { kind: "refuse" } },
    { name: "is carried out and its answer lost", fault: { kind: "lose" } },
  ];
  const requests = [
    { request: "create", isLater: false, matches: isWrite },
    { request: "patch", isLater: true, matches: isWrite },
    { request: "read", isLater: true, matches: isRead },
  ];
  const cases = requests.flatMap((request) => faults.map((fault) => ({ ...request, ...fault })));

  it.each(cases)("the $request that $name loses and doubles nothing", async ({ isLater, matches, fault }) => {
    const writer = await startWriter();
    const want: string[] = [];
    const noteAndCount = (): void => {
      want.unshift(note(writer));
      writer.ledger.countRefusal(made, "WrongKey", new Date());
    };
    if (isLater) {
      noteAndCount();
      await writer.untilWrites(1);
    }
    noteAndCount();
    // A read is sent once more by itself where its connection broke.
    writer.proxy.inject(fault, { matches, times: fault.kind === "answer" || matches === isWrite ? 1 : 2 });
    await writer.untilWrites(want.length);
    expect(writer.outcomes.at(-1)).toBe("failed");
    noteAndCount();
    // The counts of the failed write are written first, under their number, and later ones with the write after it.
    await writer.untilWrites(want.length + 1);
    expect(writer.outcomes.slice(-2)).toEqual(["stored", "stored"]);
    expect(await idsInLog()).toEqual(want);
    expect((await readLog())?.spec.refusals).toMatchObject([{ reason: "WrongKey", count: want.length }]);
  });
});

it("leaves the log of a deleted automation of the same name alone, and makes its own when that is gone", async () => {
  const writer = await startWriter();
  const old = note(writer);
  await writer.untilWrites(1);
  await deleteAutomation(made);
  writer.ledger.forget(made.uid);
  made = { ...made, uid: "00000000-0000-4000-8000-000000000000" };
  const fresh = note(writer);
  await writer.untilWrites(2);
  expect(writer.outcomes).toEqual(["stored", "failed"]);
  // No garbage collector runs here.
  expect(await idsInLog()).toEqual([old]);
  await testApi().send("DELETE", logPath());
  await writer.untilWrites(3);
  expect(await idsInLog()).toEqual([fresh]);
});

it("writes what is left when it is closed", async () => {
  const writer = await startWriter();
  const last = note(writer);
  await writer.ledger.close();
  expect(await idsInLog()).toEqual([last]);
});
