import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { DeliveryLog } from "../../../src/api/v1alpha1/index.ts";
import { filterCaseBody, filterCases } from "../../fixtures/filter-cases.ts";
import { testApi } from "../../support/cluster.ts";
import { type Made, makeAutomation, setKey, patchAutomation, deleteAutomation, runsOf } from "./automations.ts";
import { type SendOptions, deliver, receipt } from "./sender.ts";
import { startWorld, type World, waitFor, writesOf } from "./world.ts";

const onlyFailed = { filters: [{ path: "$.status", operator: "eq", value: "failed" }] };
/** JSON of exactly so many bytes. */
const jsonOf = (bytes: number): string => `{"p":"${"x".repeat(bytes - 8)}"}`;
const anError = { error: expect.stringMatching(/.{5,}/) as string };

let world: World;
beforeAll(async () => (world = await startWorld()));
afterAll(() => world.close());

describe("worked deliveries", () => {
  const failed = { status: "failed" };
  const keyed = (idempotencyKey: unknown, status = "failed"): object => ({ status, idempotencyKey });
  let made: Made;
  const send = async (body: object | string | Uint8Array, options?: SendOptions): Promise<[number, unknown]> => {
    const { status, body: answer } = await deliver(world.replica, made, body, options);
    return [status, answer];
  };
  const runs = async (): Promise<number> => (await runsOf(made)).length;

  it("go through in order", async () => {
    made = await makeAutomation(world, onlyFailed);
    expect(await send(failed)).toEqual([200, receipt(1)]); // 1
    expect(await send(failed)).toEqual([200, receipt(1)]); // 2
    expect(await runs()).toBe(2);
    expect(await send({ status: "ok" })).toEqual([200, receipt(0)]); // 3
    expect(await runs()).toBe(2);
    expect(await send(keyed("d1"))).toEqual([200, receipt(1)]); // 4
    expect(await send(keyed("d1"))).toEqual([200, receipt(0, 1)]); // 5
    expect(await runs()).toBe(3);
    await failAllRuns();
    expect(await send(keyed("d1"))).toEqual([200, receipt(0, 1)]); // 6
    expect(await send(keyed("d2", "ok"))).toEqual([200, receipt(0)]); // 7
    expect(await send(keyed("d2"))).toEqual([200, receipt(1)]); // 8
    expect(await send(keyed("D1"))).toEqual([200, receipt(1)]); // 9
    expect(await send(keyed(" d1"))).toEqual([200, receipt(1)]); // 10
    for (const key of ["", "", 7, 7, null, { a: "d1" }]) expect(await send(keyed(key))).toEqual([200, receipt(1)]); // 11, 12
    expect(await runs()).toBe(12);

    await patchAutomation(made, { spec: { suspend: true } });
    world.replica.forget();
    expect(await send(keyed("d3"))).toEqual([200, receipt(0)]); // 13
    expect((await send(failed, { headers: { authorization: "Bearer wrong" } }))[0]).toBe(401); // 15
    await patchAutomation(made, { spec: { suspend: false } });
    world.replica.forget();
    expect(await send(keyed("d3"))).toEqual([200, receipt(1)]); // 14
    expect(await runs()).toBe(13);

    expect((await send(failed, { headers: { authorization: undefined } }))[0]).toBe(401); // 16
    expect((await send(failed, { headers: { authorization: "Basic eDp5" } }))[0]).toBe(401); // 17
    const [old, key] = [made.key, await setKey(world, made.uid)];
    world.replica.forget();
    expect((await send(failed, { headers: { authorization: `Bearer ${old}` } }))[0]).toBe(401); // 18
    made = { ...made, key };
    expect(await send(keyed("d1"))).toEqual([200, receipt(0, 1)]); // 19
    expect((await send(failed, { headers: { "content-type": "text/plain" } }))[0]).toBe(415); // 20
    expect((await send(failed, { headers: { "content-type": undefined } }))[0]).toBe(415); // 21
    expect(await send(failed, { headers: { "content-type": "application/json; charset=utf-8" } })).toEqual([
      200,
      receipt(1),
    ]); // 22
    expect(await send(jsonOf(65_536))).toEqual([200, receipt(0)]); // 23
    expect((await send(jsonOf(65_537)))[0]).toBe(413); // 24
    expect((await send(`{"status":"${"é".repeat(40_000)}"}`, { chunked: true }))[0]).toBe(413); // 25
    expect(await send('{"status":')).toEqual([400, anError]); // 26
    expect(await send("")).toEqual([400, anError]); // 27
    for (const body of ["null", "[]", "5"]) expect(await send(body)).toEqual([200, receipt(0)]); // 28
    expect(await runs()).toBe(14);
    expect(await send(`\uFEFF${JSON.stringify(failed)}`)).toEqual([200, receipt(1)]); // 38
    expect((await runsOf(made)).map(({ spec }) => spec.trigger.payload)).toContain(JSON.stringify(failed));
    expect((await send(Uint8Array.of(0x22, 0xff, 0x22)))[0]).toBe(400);

    await patchAutomation(made, { status: { conditions: [pausedByFailures] } });
    world.replica.forget();
    expect(await send(failed)).toEqual([200, receipt(0)]); // 39
    expect(await runs()).toBe(15);

    await deleteAutomation(made);
    world.replica.forget();
    expect(await send(failed)).toEqual([404, anError]); // 32
  });

  it("need no object when there are no filters (29)", async () => {
    made = await makeAutomation(world);
    for (const body of ["null", "[]", "5", '"x"', "true"]) expect(await send(body)).toEqual([200, receipt(1)]);
    expect(await runs()).toBe(5);
  });

  it("count one key at two automations as two events (37)", async () => {
    const one = await makeAutomation(world);
    const other = await makeAutomation(world);
    expect((await deliver(world.replica, one, keyed("same"))).body).toEqual(receipt(1));
    expect((await deliver(world.replica, other, keyed("same"))).body).toEqual(receipt(1));
  });

  it("count as new for an automation that has the name again", async () => {
    const one = await makeAutomation(world);
    await deliver(world.replica, one, keyed("same"));
    await deleteAutomation(one);
    world.replica.forget();
    expect((await deliver(world.replica, one, keyed("same"))).status).toBe(404);
  });

  async function failAllRuns(): Promise<void> {
    for (const run of await runsOf(made)) {
      const path = `/apis/runwright.dev/v1alpha1/namespaces/${made.namespace}/runs/${run.metadata.name ?? ""}/status`;
      const succeeded = {
        type: "Succeeded",
        status: "False",
        reason: "Failed",
        message: "",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      };
      expect((await testApi().send("PATCH", path, { status: { conditions: [succeeded] } })).status).toBe(200);
    }
  }

  const pausedByFailures = {
    type: "Paused",
    status: "True",
    reason: "TooManyFailures",
    message: "3 consecutive failures",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
});

describe("filters on a stored automation", () => {
  const applicable = filterCases.filter(({ refusedWhenApplied }) => !refusedWhenApplied);

  it.each([true, false])("those that match: %s", async (matches) => {
    const cases = applicable.filter((one) => one.matches === matches);
    for (const { row, filter } of cases) {
      const made = await makeAutomation(world, { filters: [filter] });
      const sent = await deliver(world.replica, made, filterCaseBody);
      expect({ row, body: sent.body }).toEqual({ row, body: receipt(matches ? 1 : 0) });
    }
  });

  const notObjects = ["[]", '[{"a":1}]', '"text"', "5", "true", "null"];
  it.each([
    { path: "$.a", want: receipt(0) },
    { path: "$.length", want: receipt(0) },
    { path: undefined, want: receipt(1) },
  ])("bodies that are no objects have no members: $path", async ({ path, want }) => {
    const made = await makeAutomation(world, path === undefined ? {} : { filters: [{ path, operator: "exists" }] });
    for (const body of notObjects) {
      expect({ body, answer: (await deliver(world.replica, made, body)).body }).toEqual({ body, answer: want });
    }
  });

  it("a member named __proto__ is one like any other, and is kept in the Run", async () => {
    const made = await makeAutomation(world, { filters: [{ path: "$.__proto__", operator: "exists" }] });
    const inside = await makeAutomation(world, { filters: [{ path: "$.__proto__.a", operator: "eq", value: 2 }] });
    expect((await deliver(world.replica, made, '{"__proto__": 1}')).body).toEqual(receipt(1));
    expect((await runsOf(made))[0]?.spec.trigger.payload).toBe('{"__proto__": 1}');
    expect((await deliver(world.replica, inside, '{"__proto__": {"a": 2}}')).body).toEqual(receipt(1));
    expect((await deliver(world.replica, made, "{}")).body).toEqual(receipt(0));
    expect((await deliver(world.replica, inside, '{"a": 2}')).body).toEqual(receipt(0));
  });

  it("combine by and", async () => {
    const status = { path: "$.status", operator: "eq", value: "failed" };
    const both = (value: number): object => ({ filters: [status, { path: "$.count", operator: "gte", value }] });
    const [three, five] = [await makeAutomation(world, both(3)), await makeAutomation(world, both(5))];
    expect((await deliver(world.replica, three, filterCaseBody)).body).toEqual(receipt(1));
    expect((await deliver(world.replica, five, filterCaseBody)).body).toEqual(receipt(0));
  });

  it("change with the automation", async () => {
    const made = await makeAutomation(world, onlyFailed);
    expect((await deliver(world.replica, made, { status: "late" })).body).toEqual(receipt(0));
    const filters = [{ path: "$.status", operator: "eq", value: "late" }];
    await patchAutomation(made, { spec: { trigger: { webhook: { filters } } } });
    world.replica.forget();
    expect((await deliver(world.replica, made, { status: "late" })).body).toEqual(receipt(1));
  });
});

describe("writes", () => {
  it("are one create for each accepted delivery, one for each duplicate, and none for any other", async () => {
    const made = await makeAutomation(world, onlyFailed);
    const paused = await makeAutomation(world);
    await patchAutomation(paused, { spec: { suspend: true } });
    const before = writesOf(world.replica).length;
    const count = (): number => writesOf(world.replica).length - before;
    for (let accepted = 1; accepted <= 5; accepted += 1) {
      await deliver(world.replica, made, { status: "failed" });
      expect(count()).toBe(accepted);
    }
    await deliver(world.replica, made, { status: "ok" });
    await deliver(world.replica, paused, { status: "failed" });
    await deliver(world.replica, { ...made, key: "wrong" }, { status: "failed" });
    await deliver(world.replica, made, "{");
    await deliver(world.replica, made, jsonOf(65_537));
    await deliver(world.replica, made, "{}", { headers: { "content-type": "text/plain" } });
    expect(count()).toBe(5);
    const runsPath = `POST /apis/runwright.dev/v1alpha1/namespaces/${world.namespace}/runs`;
    expect(new Set(writesOf(world.replica))).toEqual(new Set([runsPath]));
  });

  it("name automation, trigger and delivery, and nothing is ever read of runs", async () => {
    const made = await makeAutomation(world);
    const body = JSON.stringify({ idempotencyKey: "k", a: 1 });
    const before = Date.now();
    const sent = await deliver(world.replica, made, body);
    const [run] = await runsOf(made);
    expect(run).toMatchObject({
      metadata: {
        name: expect.stringMatching(new RegExp(`^${made.name}-[a-z2-7]{26}$`)) as string,
        labels: { "runwright.dev/automation-uid": made.uid, "runwright.dev/automation": made.name },
      },
      spec: {
        automationRef: { name: made.name, uid: made.uid, generation: 1 },
        trigger: {
          type: "Webhook",
          deliveryID: sent.headers["runwright-delivery-id"],
          idempotencyKey: "k",
          payload: body,
        },
      },
    });
    expect(run?.metadata.ownerReferences).toBeUndefined();
    const receivedMs = Date.parse(run?.spec.trigger.time ?? "");
    expect(receivedMs).toBeGreaterThanOrEqual(before);
    expect(receivedMs).toBeLessThanOrEqual(Date.now());
    const reads = world.replica.proxy.seen.filter(({ method, path }) => method === "GET" && path.includes("/runs"));
    expect(reads).toEqual([]);
  });
});

describe("the log of deliveries", () => {
  const logOf = async ({ namespace, name }: Made): Promise<DeliveryLog["spec"]> => {
    const path = `/apis/runwright.dev/v1alpha1/namespaces/${namespace}/deliverylogs/${name}`;
    const { status, body } = await testApi().send("GET", path);
    return status === 200 ? (body as DeliveryLog).spec : {};
  };

  it("says what became of each, with the id of the answer and no key", async () => {
    const limits = { rateLimit: { perSecond: 1, burst: 6 }, requestRateLimit: { perSecond: 1, burst: 6 } };
    const made = await makeAutomation(world, { ...onlyFailed, ...limits });
    const send = (body: object | string) => deliver(world.replica, made, body);
    const sent = [
      await send({ status: "failed", idempotencyKey: "k" }),
      await send({ status: "failed", idempotencyKey: "k" }),
      await send({ status: "ok" }),
      await send("{"),
    ];
    await patchAutomation(made, { spec: { suspend: true } });
    world.replica.forget();
    sent.push(await send({ status: "failed" }));
    for (let at = 0; at < 3; at += 1) await send({ status: "ok" });
    sent.push(await send({ status: "failed" }));
    const last = sent.at(-1)?.headers["runwright-delivery-id"];
    await waitFor("the last one is in the log", async () => {
      // A write that was under way is followed by the next one 5 s after its end.
      world.replica.clock.move(5_000);
      // Of two that came in one millisecond either may be listed first.
      return (await logOf(made)).deliveries?.some(({ id }) => id === last) ?? false;
    });

    const { deliveries = [], refusals } = await logOf(made);
    const [run] = await runsOf(made);
    const runName = run?.metadata.name;
    const ids = sent.map(({ headers }) => headers["runwright-delivery-id"]);
    const listed = ids.map((id) => deliveries.find((delivery) => delivery.id === id));
    expect(listed).toMatchObject([
      { decision: "Started", httpStatus: 200, runName },
      { decision: "Duplicate", httpStatus: 200, runName },
      {
        decision: "Filtered",
        httpStatus: 200,
        message: 'filters[0]: $.status is "ok", but must be "failed"',
        body: '{"status":"ok"}',
        bodyBytes: 15,
      },
      { decision: "InvalidPayload", httpStatus: 400, message: "The body is not valid JSON" },
      { decision: "Paused", httpStatus: 200, body: '{"status":"failed"}' },
      { decision: "RateLimited", httpStatus: 429, message: "More than 1 requests a second after a burst of 6" },
    ]);
    expect(run?.spec.trigger.deliveryID).toBe(ids[0]);
    expect(refusals ?? []).toEqual([]);
    expect(JSON.stringify(await logOf(made))).not.toContain(made.key);
  });

  it("only counts what has no key of the automation's, and writes nothing for it", async () => {
    const made = await makeAutomation(world);
    const { automations } = world.replica.store;
    await waitFor("the watch shows it", () => automations.knownUid(made) === made.uid);
    const none = { authorization: undefined };
    for (let at = 0; at < 20; at += 1) await deliver(world.replica, { ...made, key: "planted" }, "{}");
    await deliver(world.replica, made, "{}", { headers: none });
    await deliver(world.replica, made, "{}", { headers: { "content-type": "text/plain" } });
    await deliver(world.replica, made, jsonOf(65_537));
    await deliver(world.replica, made, "", { method: "GET" });
    await deliver(world.replica, { ...made, id: `${made.namespace}.nobody` }, "{}");
    const { headers } = await deliver(world.replica, made, "{}");
    const id = headers["runwright-delivery-id"];
    world.replica.clock.move(1_000);
    await waitFor("the delivery is in the log", async () => (await logOf(made)).deliveries?.[0]?.id === id);

    const { deliveries, refusals = [] } = await logOf(made);
    expect(deliveries).toHaveLength(1);
    expect(Object.fromEntries(refusals.map(({ reason, count }) => [reason, count]))).toEqual({
      WrongKey: 20,
      MissingKey: 1,
      UnsupportedMediaType: 1,
      PayloadTooLarge: 1,
      MethodNotAllowed: 1,
    });
    expect(JSON.stringify(refusals)).not.toContain("planted");
    // Each write of a log begins with reading it.
    const reads = world.replica.proxy.seen.filter(({ path }) => path.includes(`/deliverylogs/${made.name}`));
    expect(reads).toHaveLength(1);
  });
});
