import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { makeNamespace, testApi } from "../../support/cluster.ts";
import type { Fault, SeenRequest } from "../../support/fault-proxy.ts";
import { type Made, makeAutomation, patchAutomation, runsOf } from "./automations.ts";
import { type Sent, deliver, receipt } from "./sender.ts";
import { startWorld, type World, type Replica, waitFor, writesOf } from "./world.ts";

let world: World;
let replica: Replica;
let made: Made;
beforeEach(async () => {
  world = await startWorld();
  ({ replica } = world);
  made = await makeAutomation(world);
});
afterEach(() => world.close());

const isCreate = ({ method, path }: SeenRequest): boolean => method === "POST" && path.includes("/runs");
const isLook = ({ method, path }: SeenRequest): boolean => method === "GET" && path.includes("/runs/");
const isRead = ({ method, path, isWatch }: SeenRequest): boolean =>
  method === "GET" && !isWatch && !path.includes("/deliverylogs");
const on =
  (matches: (request: SeenRequest) => boolean, fault: Fault) =>
  (request: SeenRequest): Fault | undefined =>
    matches(request) ? fault : undefined;

/** Sends; every 503 and 429 must say when to come again. */
async function send(body: object = {}, to = made): Promise<Sent> {
  const sent = await deliver(replica, to, body);
  if (sent.status >= 429) expect(Number(sent.headers["retry-after"])).toBeGreaterThanOrEqual(1);
  if (sent.status !== 200) expect(sent.body).toEqual({ error: expect.any(String) as string });
  return sent;
}

const lastCause = (): string | undefined => replica.answers.at(-1)?.cause;

describe("reads", () => {
  it.each([
    { name: "a broken connection", fault: { kind: "refuse" }, cause: "read-no-answer" },
    { name: "a server error", fault: { kind: "answer", status: 500 }, cause: "read-refused" },
    {
      name: "too many requests",
      fault: { kind: "answer", status: 429, reason: "TooManyRequests" },
      cause: "read-throttled",
    },
    { name: "no right to read", fault: { kind: "answer", status: 403, reason: "Forbidden" }, cause: "read-refused" },
  ] as { name: string; fault: Fault; cause: string }[])(
    "$name: 503, then at once as before",
    async ({ fault, cause }) => {
      replica.proxy.decide(on(isRead, fault));
      expect((await send()).status).toBe(503);
      expect(lastCause()).toBe(cause);
      replica.proxy.decide(undefined);
      expect((await send()).body).toEqual(receipt(1));
      expect(await runsOf(made)).toHaveLength(1);
    },
  );

  it("goes on for a second on what it has read, then says 503", async () => {
    expect((await send()).status).toBe(200);
    replica.proxy.decide(on(isRead, { kind: "refuse" }));
    expect((await send()).status).toBe(200);
    replica.forget();
    expect((await send()).status).toBe(503);
  });
});

describe("creates", () => {
  it.each([
    { name: "a server error", fault: { kind: "answer", status: 500 }, status: 503, cause: "create-failed" },
    {
      name: "no right",
      fault: { kind: "answer", status: 403, reason: "Forbidden" },
      status: 503,
      cause: "create-forbidden",
    },
    {
      name: "an invalid object",
      fault: { kind: "answer", status: 422, reason: "Invalid" },
      status: 503,
      cause: "create-refused",
    },
    {
      name: "a conflict",
      fault: { kind: "answer", status: 409, reason: "Conflict" },
      status: 503,
      cause: "create-conflict",
    },
    {
      name: "too many requests",
      fault: { kind: "answer", status: 429, reason: "TooManyRequests", retryAfterSeconds: 7 },
      status: 429,
      cause: "api-throttled",
    },
    {
      name: "a namespace that is gone",
      fault: { kind: "answer", status: 404, reason: "NotFound" },
      status: 404,
      cause: "namespace-gone",
    },
  ] as { name: string; fault: Fault; status: number; cause: string }[])(
    "$name: $status",
    async ({ fault, status, cause }) => {
      replica.proxy.decide(on(isCreate, fault));
      const sent = await send({ idempotencyKey: "k" });
      expect(sent.status).toBe(status);
      expect(lastCause()).toBe(cause);
      const retryAfter = { "api-throttled": "7", "create-refused": "60", "create-forbidden": "60" }[cause];
      if (retryAfter !== undefined) expect(sent.headers["retry-after"]).toBe(retryAfter);
      replica.proxy.decide(undefined);
      expect((await send({ idempotencyKey: "k" })).body).toEqual(receipt(1));
    },
  );

  it.each([{ idempotencyKey: "k" }, {}])("an answer that was lost once is asked for again: %j", async (body) => {
    replica.proxy.inject({ kind: "lose" }, { matches: isCreate });
    expect((await send(body)).body).toEqual(receipt(1));
    expect(await runsOf(made)).toHaveLength(1);
  });

  it("a lost answer of a duplicate may be counted as triggered, and starts nothing", async () => {
    expect((await send({ idempotencyKey: "k" })).body).toEqual(receipt(1));
    replica.proxy.inject({ kind: "lose" }, { matches: isCreate });
    expect((await send({ idempotencyKey: "k" })).status).toBe(200);
    expect(await runsOf(made)).toHaveLength(1);
  });

  it.each([
    { kind: "refuse", runs: 0 },
    { kind: "lose", runs: 1 },
  ] as const)("a connection that is always cut ($kind): 503 after three attempts", async ({ kind, runs }) => {
    replica.proxy.decide(on(isCreate, { kind }));
    const answer = send({ idempotencyKey: "k" });
    await waitFor("it pauses before the last attempt", () => replica.clock.nextTimerMs() <= 250);
    expect(writesOf(replica)).toHaveLength(2);
    replica.clock.move(250);
    expect((await answer).status).toBe(503);
    expect(writesOf(replica)).toHaveLength(3);
    expect(lastCause()).toBe("create-no-answer");
    expect(await runsOf(made)).toHaveLength(runs);
    replica.proxy.decide(undefined);
    expect((await send({ idempotencyKey: "k" })).body).toEqual(runs === 0 ? receipt(1) : receipt(0, 1));
    expect(await runsOf(made)).toHaveLength(1);
  });

  it("more than can wait: 503 at once, the others in turn", async () => {
    await send();
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    replica.proxy.decide((request) => (isCreate(request) ? released : undefined));
    const flood = Array.from({ length: 200 }, () => deliver(replica, made, {}));
    const turnedAway = (): number => replica.answers.filter(({ cause }) => cause === "queue-full").length;
    await waitFor("66 are turned away", () => turnedAway() === 66);
    expect(replica.store.runs.load).toEqual({ working: 6, waiting: 128 });
    release(undefined);
    const sent = await Promise.all(flood);
    expect(sent.filter(({ status }) => status === 200)).toHaveLength(6 + 128);
    expect(sent.filter(({ status }) => status === 503)).toHaveLength(66);
    expect(replica.store.runs.load).toEqual({ working: 0, waiting: 0 });
    expect(await runsOf(made)).toHaveLength(1 + 6 + 128);
  });

  it("one automation's flood leaves room for another's delivery", async () => {
    const quiet = await makeAutomation(world);
    await send();
    await send({}, quiet);
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    replica.proxy.decide((request) => (isCreate(request) ? released : undefined));
    const flood = Array.from({ length: 120 }, () => deliver(replica, made, {}));
    await waitFor("all of its places are taken", () => replica.store.runs.load.waiting === 120 - 6);
    const other = deliver(replica, quiet, {});
    await waitFor("the other is at work", () => replica.store.runs.load.working === 6 + 1);
    expect(replica.store.runs.load.waiting).toBe(120 - 6);
    const before = replica.answers.length;
    release(undefined);
    expect((await other).body).toEqual(receipt(1));
    await Promise.all(flood);
    // Beside those at work, not behind those that wait.
    const order = replica.answers.slice(before).map(({ automation }) => automation);
    expect(order.indexOf(quiet.id)).toBeLessThan(order.length - 1);
  });
});

describe("an API server that does not answer", () => {
  const held = (matches: (request: SeenRequest) => boolean): void => {
    const never = new Promise<undefined>(() => undefined);
    replica.proxy.decide((request) => (matches(request) ? never : undefined));
  };

  /** Sends and moves time by steps until there is an answer; says how long that took. */
  async function sendAndWait(isSeen: (request: SeenRequest) => boolean): Promise<Sent & { tookMs: number }> {
    const [seen, answered] = [replica.proxy.seen.length, replica.answers.length];
    const answer = send({ idempotencyKey: "k" });
    await waitFor("the request is under way", () => replica.proxy.seen.slice(seen).some(isSeen));
    let tookMs = 0;
    for (; replica.answers.length === answered && tookMs < 10_000; tookMs += 100) {
      replica.clock.move(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { ...(await answer), tookMs };
  }

  it.each([
    { name: "reads", matches: isRead, cause: "read-timeout", wantMs: 2_300 },
    { name: "creates", matches: isCreate, cause: "create-timeout", wantMs: 2_600 },
  ])("$name: 503 within 3 s, then at once as before", async ({ matches, cause, wantMs }) => {
    if (matches === isCreate) await send();
    held(matches);
    const { status, tookMs } = await sendAndWait(matches);
    expect({ status, cause: lastCause() }).toEqual({ status: 503, cause });
    // A step more or less: sums of fractions of a millisecond.
    expect(replica.answers.at(-1)?.durationMs).toBeGreaterThanOrEqual(wantMs - 100);
    expect(tookMs).toBeLessThanOrEqual(wantMs + 100);
    replica.proxy.decide(undefined);
    expect((await send({ idempotencyKey: "k" })).body).toEqual(receipt(1));
  });

  it("a create that is carried out after the 503, and the sender's retry, are one run", async () => {
    await send();
    const before = replica.proxy.seen.length;
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    replica.proxy.decide((request) => (isCreate(request) ? released : undefined));
    expect((await sendAndWait(isCreate)).status).toBe(503);
    const late = replica.proxy.seen.slice(before).find(isCreate);
    replica.proxy.decide(undefined);
    release(undefined);
    expect((await send({ idempotencyKey: "k" })).status).toBe(200);
    await waitFor("the late one is carried out", () => late?.status !== 0);
    expect(await runsOf(made)).toHaveLength(2);
  });
});

describe("limits", () => {
  it("rate: the burst, then 429 until a token is back", async () => {
    const slow = await makeAutomation(world, { rateLimit: { perSecond: 1, burst: 3 } });
    const statuses = [];
    for (let at = 0; at < 5; at += 1) statuses.push((await send({}, slow)).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    replica.clock.move(1_000);
    expect((await send({}, slow)).status).toBe(200);
    expect((await send({}, slow)).status).toBe(429);
    expect(await runsOf(slow)).toHaveLength(4);
  });

  it("rate: deliveries that start nothing leave the tokens to those that match", async () => {
    const filters = [{ path: "$.status", operator: "eq", value: "failed" }];
    const rateLimit = { perSecond: 1, burst: 1 };
    const slow = await makeAutomation(world, { filters, rateLimit, requestRateLimit: { perSecond: 1, burst: 7 } });
    expect((await send({ status: "ok" }, slow)).body).toEqual(receipt(0));
    expect((await send({ status: "ok" }, slow)).body).toEqual(receipt(0));
    const failed = { status: "failed", idempotencyKey: "k" };
    expect((await send(failed, slow)).body).toEqual(receipt(1));
    expect((await send(failed, slow)).body).toEqual(receipt(0, 1));
    expect((await send({ status: "failed" }, slow)).status).toBe(429);
    await patchAutomation(slow, { spec: { suspend: true } });
    // Time brings a token of either kind.
    replica.forget();
    for (let at = 0; at < 3; at += 1) expect((await send({ status: "failed" }, slow)).body).toEqual(receipt(0));
    expect((await send({ status: "failed" }, slow)).status).toBe(429);
    expect(await runsOf(slow)).toHaveLength(1);
  });

  it("rate of requests: spent before the body is looked at, and only with the key", async () => {
    const one = { perSecond: 1, burst: 1 };
    const slow = await makeAutomation(world, { rateLimit: one, requestRateLimit: one });
    for (let at = 0; at < 3; at += 1) expect((await send({}, { ...slow, key: "wrong" })).status).toBe(401);
    expect((await deliver(replica, slow, "{")).status).toBe(400);
    expect((await deliver(replica, slow, "{")).status).toBe(429);
    expect((await deliver(replica, { ...slow, key: "wrong" }, "{")).status).toBe(401);
  });

  it("unfinished runs: 429 before the create, also for what the controller has not counted", async () => {
    const bounded = await makeAutomation(world, { maxUnfinishedRuns: 3 });
    for (let at = 0; at < 3; at += 1) {
      expect((await send({ idempotencyKey: `k${at}` }, bounded)).body).toEqual(receipt(1));
    }
    expect((await send({ idempotencyKey: "k0" }, bounded)).body).toEqual(receipt(0, 1));
    expect((await send({ idempotencyKey: "new" }, bounded)).status).toBe(429);
    expect(await runsOf(bounded)).toHaveLength(3);
    const before = writesOf(replica).length;
    expect((await send({}, bounded)).status).toBe(429);
    replica.forget();
    expect((await send({}, bounded)).status).toBe(429);
    expect(writesOf(replica)).toHaveLength(before);

    const lastRun = {
      name: (await runsOf(bounded))[0]?.metadata.name,
      reason: "Completed",
      time: new Date().toISOString(),
    };
    await patchAutomation(bounded, { status: { activeRuns: 2, lastRun } });
    replica.clock.move(2_500);
    expect((await send({}, bounded)).status).toBe(200);
    expect((await send({}, bounded)).status).toBe(429);
  });

  it("quota of the namespace: 429, but for a repeat of a key that has its Run", async () => {
    const namespace = await makeNamespace("quota");
    const full = await makeAutomation({ ...world, namespace });
    expect((await send({ idempotencyKey: "k" }, full)).body).toEqual(receipt(1));
    await testApi().apply(`/api/v1/namespaces/${namespace}/resourcequotas/runs`, {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "runs" },
      spec: { hard: { "count/runs.runwright.dev": "0" } },
    });
    // There is no quota controller to fill in what is used.
    const status = { hard: { "count/runs.runwright.dev": "0" }, used: { "count/runs.runwright.dev": "0" } };
    await testApi().send("PATCH", `/api/v1/namespaces/${namespace}/resourcequotas/runs/status`, { status });
    let sent = await send({}, full);
    await waitFor("the API server knows the quota", async () => (sent = await send({}, full)).status !== 200);
    expect(sent.status).toBe(429);
    expect(lastCause()).toBe("quota");
    expect((await send({ idempotencyKey: "k" }, full)).body).toEqual(receipt(0, 1));
    expect((await send({ idempotencyKey: "new" }, full)).status).toBe(429);
    replica.proxy.decide(on(isLook, { kind: "answer", status: 500 }));
    expect((await send({ idempotencyKey: "k" }, full)).status).toBe(429);
  });

  it("a namespace that is being deleted: 404", async () => {
    const namespace = await makeNamespace("going");
    const going = await makeAutomation({ ...world, namespace });
    expect((await send({}, going)).status).toBe(200);
    await testApi().send("DELETE", `/api/v1/namespaces/${namespace}`);
    await waitFor("creates are refused", async () => (await send({}, going)).status !== 200);
    expect((await send({}, going)).status).toBe(404);
  });
});
