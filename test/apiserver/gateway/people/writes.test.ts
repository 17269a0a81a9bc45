import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { Run } from "../../../../src/api/v1alpha1/index.ts";
import { testCluster } from "../../../support/cluster.ts";
import { type DecidingControllers, startDecidingControllers } from "../../../support/deciding-controllers.ts";
import type { Fault, SeenRequest } from "../../../support/fault-proxy.ts";
import { clientOf } from "../../../support/kube.ts";
import {
  type Answer,
  impersonate,
  type MadeAutomation,
  openPeopleWorld,
  ours,
  type PeopleWorld,
} from "../../../support/people-world.ts";
import { eventually, find } from "../../../support/runtime-world.ts";

let people: PeopleWorld;
let controllers: DecidingControllers;
let kube: ReturnType<typeof clientOf>;
let token: string;

beforeAll(async () => {
  people = await openPeopleWorld();
  controllers = await startDecidingControllers();
  kube = clientOf({ file: testCluster().kubeconfig });
  const rights = [ours("automations", "get", "patch"), ours("runs", "list", "create"), impersonate];
  token = await people.caller([...rights, ours("automations/key", "create")], "everywhere");
});
afterEach(() => people.proxy.decide(undefined));
afterAll(async () => {
  await controllers.close();
  await kube.close();
  await people.close();
});

const make = (spec: object = {}): Promise<MadeAutomation> =>
  people.makeAutomation({ namespace: controllers.namespace, spec });
const post = (path: string, body?: object): Promise<Answer> =>
  people.send(path, { method: "POST", token, ...(body ? { body: JSON.stringify(body) } : {}) });
const get = (path: string): Promise<Answer> => people.send(path, { token });
const storedRun = (name: unknown): Promise<Run | undefined> =>
  kube.client.find<Run>(Run, { namespace: controllers.namespace, name: String(name) });

async function runsOf({ name }: MadeAutomation): Promise<Run[]> {
  const { items } = await kube.client.list<Run>(Run, { namespace: controllers.namespace });
  return items.filter(({ spec }) => spec.automationRef.name === name);
}

/** Notes of the Events about an automation. */
async function notesOn({ uid }: MadeAutomation): Promise<string[]> {
  const list = await find(`/apis/events.k8s.io/v1/namespaces/${controllers.namespace}/events`);
  const { items } = list as unknown as { items: { regarding: { uid: string }; note: string }[] };
  return items.filter(({ regarding }) => regarding.uid === uid).map(({ note }) => note);
}

describe("pause and resume", () => {
  it("write the person's own field, say who it was, and may be repeated", async () => {
    const automation = await make();
    const path = `/automations/${automation.id}`;
    const paused = {
      status: 200,
      body: { automation: { enabled: false, status: "paused", pauseReason: "suspended" } },
    };
    const enabled = { status: 200, body: { automation: { enabled: true, status: "enabled", pauseReason: null } } };
    expect(await post(`${path}/pause`)).toMatchObject(paused);
    expect(await post(`${path}/pause`)).toMatchObject(paused);
    expect((await automation.read()).spec.suspend).toBe(true);
    expect(await post(`${path}/resume`)).toMatchObject(enabled);
    expect(await post(`${path}/resume`)).toMatchObject(enabled);
    expect((await automation.read()).spec.suspend).toBe(false);
    expect(await get(path)).toMatchObject(enabled);
    await eventually("both are noted", async () => {
      const notes = (await notesOn(automation)).filter((note) => note.startsWith("system:serviceaccount:"));
      return [" paused it", " resumed it"].every((did) => notes.some((note) => note.endsWith(did)));
    });
  });

  it("leave the spec alone where it says so already, and then need no right on the ServiceAccount", async () => {
    const automation = await make();
    const patcher = await people.caller([ours("automations", "patch")], "everywhere");
    const as = { method: "POST", token: patcher } as const;
    expect((await people.send(`/automations/${automation.id}/pause`, as)).status).toBe(403);
    expect((await automation.read()).spec.suspend).toBe(false);
    expect((await people.send(`/automations/${automation.id}/resume`, as)).status).toBe(200);
    const { metadata } = await automation.read();
    expect(metadata.annotations?.["runwright.dev/resume-requested-at"]).toMatch(/Z$/);
    await post(`/automations/${automation.id}/pause`);
    expect((await people.send(`/automations/${automation.id}/resume`, as)).status).toBe(403);
    expect((await people.send(`/automations/${automation.id}/pause`, as)).status).toBe(200);
  });
});

describe("trigger", () => {
  it("starts a Run that names who asked", async () => {
    const automation = await make({ trigger: { type: "Manual" } });
    const { status, body } = await post(`/automations/${automation.id}/trigger`);
    expect([status, body.runs]).toEqual([201, [expect.objectContaining({ state: "running" })]]);
    const run = await storedRun(body.invocationId);
    expect(run?.spec).toMatchObject({ automationRef: { uid: automation.uid }, trigger: { type: "Manual" } });
    expect(run?.metadata.annotations?.["runwright.dev/requested-by"]).toMatch(/^system:serviceaccount:/);
    const { body: history } = await get(`/automations/${automation.id}/invocations`);
    expect(history.invocations).toMatchObject([{ id: body.invocationId, source: "manual", status: "running" }]);
  });

  it("while a Run is active is recorded as skipped and answered with both names", async () => {
    const automation = await make();
    const first = await post(`/automations/${automation.id}/trigger`);
    const second = await post(`/automations/${automation.id}/trigger`);
    const active = first.body.invocationId;
    expect(second).toMatchObject({ status: 409, body: { code: "ConcurrentRunActive", activeInvocationId: active } });
    expect(second.body.invocationId).not.toBe(active);
    const { body } = await get(`/automations/${automation.id}/invocations`);
    const skipped = { id: second.body.invocationId, status: "skipped", skipReason: "concurrent_run_active" };
    expect(body.invocations).toEqual(expect.arrayContaining([expect.objectContaining(skipped)]));
  });

  it("while paused is recorded as skipped, unless that is asked for", async () => {
    const automation = await make({ suspend: true });
    const path = `/automations/${automation.id}/trigger`;
    const refused = await post(path);
    expect(refused).toMatchObject({ status: 409, body: { code: "AutomationPaused" } });
    expect(await storedRun(refused.body.invocationId)).toBeDefined();
    expect((await post(path, { whilePaused: true })).status).toBe(201);
    expect((await get(`/automations/${automation.id}`)).body.automation).toMatchObject({ enabled: false });
  });

  it("makes one Run when the answer to its create is lost", async () => {
    const automation = await make();
    people.proxy.inject({ kind: "lose" }, { matches: isWrite("runs") });
    expect((await post(`/automations/${automation.id}/trigger`)).status).toBe(201);
    expect(await runsOf(automation)).toHaveLength(1);
  });
});

describe("a body", () => {
  it.each([
    { name: "no JSON", body: "{", code: "InvalidRequest", status: 400, says: "JSON" },
    { name: "no object", body: "[]", code: "InvalidRequest", status: 400, says: "JSON object" },
    { name: "null", body: "null", code: "InvalidRequest", status: 400, says: "JSON object" },
    { name: "an unknown field", body: '{"force":true}', code: "InvalidRequest", status: 400, says: '"force"' },
    { name: "a wrong type", body: '{"whilePaused":1}', code: "InvalidRequest", status: 400, says: "whilePaused" },
    {
      name: "too much",
      body: `{"x":"${"x".repeat(16_384)}"}`,
      code: "PayloadTooLarge",
      status: 413,
      says: "16384 bytes",
    },
  ])("with $name is $status", async ({ body, code, status, says }) => {
    const automation = await make();
    const answer = await people.send(`/automations/${automation.id}/trigger`, { method: "POST", token, body });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.body.error).toContain(says);
    expect(await runsOf(automation)).toEqual([]);
  });

  it.each([{ "content-type": "text/plain" }, { "content-encoding": "gzip" }, { "content-type": "application/jsonl" }])(
    "with %j is 415",
    async (headers) => {
      const { id } = await make();
      const sent = { method: "POST", token, body: "{}", headers } as const;
      const { status, body } = await people.send(`/automations/${id}/trigger`, sent);
      expect([status, body.code]).toEqual([415, "UnsupportedMediaType"]);
    },
  );
});

const isWrite =
  (resource: string) =>
  ({ isWrite, path }: SeenRequest): boolean =>
    isWrite && path.split("?")[0]!.split("/").includes(resource);

const writes = [
  { route: "pause", resource: "automations" },
  { route: "resume", resource: "automations" },
  { route: "trigger", resource: "runs" },
  { route: "regenerate-key", resource: "secrets" },
];
const reviews = ["tokenreviews", "subjectaccessreviews"];
const failures: { name: string; fault: Fault; want: [number, string] }[] = [
  { name: "500", fault: { kind: "answer", status: 500 }, want: [503, "Unavailable"] },
  { name: "429", fault: { kind: "answer", status: 429, reason: "TooManyRequests" }, want: [503, "Unavailable"] },
  { name: "a connection that breaks", fault: { kind: "refuse" }, want: [503, "Unavailable"] },
  { name: "409", fault: { kind: "answer", status: 409, reason: "Conflict" }, want: [409, "Conflict"] },
];

describe.each(failures)("$name", ({ fault, want }) => {
  it.each(writes)("of the write of $route changes nothing", async ({ route, resource }) => {
    const automation = await make();
    people.proxy.decide((request) => (isWrite(resource)(request) ? fault : undefined));
    const answer = await post(`/automations/${automation.id}/${route}`);
    expect([answer.status, answer.body.code]).toEqual(want);
    if (want[0] === 503) expect(answer.headers["retry-after"]).toBe("2");
    expect((await automation.read()).spec.suspend).toBe(false);
    expect(await runsOf(automation)).toEqual([]);
  });

  it.each(reviews)("of a review (%s) refuses the request", async (resource) => {
    const automation = await make();
    people.proxy.decide((request) => (isWrite(resource)(request) ? fault : undefined));
    const answer = await post(`/automations/${automation.id}/pause`);
    expect([answer.status, answer.body.code]).toEqual([503, "Unavailable"]);
    expect((await automation.read()).spec.suspend).toBe(false);
  });
});

it("says that it is not known whether a key was stored where the write brings no answer", async () => {
  const { id } = await make();
  people.proxy.decide((request) => (isWrite("secrets")(request) ? { kind: "refuse" } : undefined));
  const { status, body } = await post(`/automations/${id}/regenerate-key`);
  expect([status, body.code]).toEqual([503, "Unavailable"]);
  expect(body.error).toMatch(/^it is not known whether the key or secret was stored/);
});

describe("what the API server refuses", () => {
  it.each(writes.filter(({ route }) => route !== "regenerate-key"))(
    "at $route is a 409 with the code Refused",
    async ({ route, resource }) => {
      const automation = await make();
      const fault: Fault = { kind: "answer", status: 403, reason: "Forbidden" };
      people.proxy.decide((request) => (isWrite(resource)(request) ? fault : undefined));
      const answer = await post(`/automations/${automation.id}/${route}`);
      expect([answer.status, answer.body.code]).toEqual([409, "Refused"]);
    },
  );
});

it("Events that cannot be written delay no request", async () => {
  const automation = await make();
  people.proxy.decide((request) => (isWrite("events")(request) ? { kind: "answer", status: 403 } : undefined));
  expect((await post(`/automations/${automation.id}/pause`)).status).toBe(200);
});
