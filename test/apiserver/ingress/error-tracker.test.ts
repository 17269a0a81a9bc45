import { createHmac } from "node:crypto";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { type Automation, keySecretName, labels } from "../../../src/api/v1alpha1/index.ts";
import { exampleEvent } from "../../../src/cli/commands/example-event.ts";
import { wantedEvents } from "../../../src/cli/commands/explain-event.ts";
import { explainDelivery } from "../../../src/cli/commands/explain-filters.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { testApi } from "../../support/cluster.ts";
import { deleteAutomation, makeAutomation, type Made, patchAutomation, runsOf } from "./automations.ts";
import { deliver, receipt, type SendOptions, type Sent } from "./sender.ts";
import { startWorld, type World } from "./world.ts";

const secret = "0123456789abcdef0123456789abcdef";
const issue = {
  id: "42",
  title: "TypeError: x is undefined",
  level: "error",
  lastSeen: "2026-05-04T10:00:00Z",
  project: { slug: "checkout" },
};
const created = { action: "created", data: { issue } };
let world: World;
let made: Made;

beforeAll(async () => {
  world = await startWorld(2);
});
afterAll(() => world.close());
beforeEach(async () => {
  made = await makeTracker();
});

async function makeTracker(
  settings: object = {},
  secrets: object | null = { "signing-secret": secret },
): Promise<Made> {
  const errorTracker = { events: ["IssueCreated", "IssueRegression"], ...settings };
  const tracker = await makeAutomation(world, {}, { type: "ErrorTracker", errorTracker });
  const path = `/api/v1/namespaces/${world.keysNamespace}/secrets/${keySecretName(tracker.uid)}`;
  expect((await testApi().send("DELETE", path)).status).toBe(200);
  if (secrets) {
    await testApi().apply(path, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: keySecretName(tracker.uid), labels: { [labels.automationUid]: tracker.uid } },
      stringData: secrets,
    });
  }
  return tracker;
}

const signed = (bytes: string | Uint8Array, by = secret): string =>
  createHmac("sha256", by).update(bytes).digest("hex");

/** Sends a delivery as the tracker does; a signature of undefined sends none. */
function send(
  body: object | string | Uint8Array,
  {
    to = made,
    signature,
    replica = 0,
    ...rest
  }: SendOptions & { to?: { id: string }; signature?: string | null; replica?: number } = {},
): Promise<Sent> {
  const bytes = body instanceof Uint8Array || typeof body === "string" ? body : JSON.stringify(body);
  const sent = signature === null ? undefined : (signature ?? signed(bytes));
  const headers = {
    authorization: undefined,
    "sentry-hook-signature": sent,
    "sentry-hook-resource": "issue",
    ...rest.headers,
  };
  const path = `/webhooks/error-tracker/${to.id}`;
  return deliver(world.replicas[replica]!, { ...made, ...to }, bytes, { path, ...rest, headers });
}

it("stores what the agent is to see of a signed event as a Run, once for the event", async () => {
  const first = await send(created);
  expect([first.status, first.body]).toEqual([200, receipt(1)]);
  expect((await send({ ...created, again: true })).body).toEqual(receipt(0, 1));
  expect((await send(created, { replica: 1 })).body).toEqual(receipt(0, 1));
  const [run, ...others] = await runsOf(made);
  expect(others).toEqual([]);
  expect(run?.spec.trigger).toMatchObject({
    type: "ErrorTracker",
    deliveryID: first.headers["runwright-delivery-id"],
    idempotencyKey: "issue 42",
  });
  expect(JSON.parse(run?.spec.trigger.payload ?? "")).toEqual({
    event: "IssueCreated",
    title: issue.title,
    project: "checkout",
    level: "error",
  });
});

it("stores one Run where two replicas get the event at once", async () => {
  const answers = await Promise.all([0, 1, 0, 1].map((replica) => send(created, { replica })));
  expect(answers.filter(({ body }) => (body as { triggered: number }).triggered === 1)).toHaveLength(1);
  expect(await runsOf(made)).toHaveLength(1);
});

it("takes each regression of an issue as an event of its own", async () => {
  const regressed = (lastSeen: string): object => ({
    action: "unresolved",
    data: { issue: { ...issue, lastSeen, substatus: "regressed" } },
  });
  const bodies = [created, regressed("a"), regressed("b"), regressed("a")];
  const answers: unknown[] = [];
  for (const body of bodies) answers.push((await send(body)).body);
  expect(answers).toEqual([receipt(1), receipt(1), receipt(1), receipt(0, 1)]);
});

it("takes an error that triggers two alert rules once", async () => {
  const to = await makeTracker({ events: ["IssueAlertTriggered"], projects: ["checkout"] });
  const triggered = (rule: string): object => ({
    action: "triggered",
    data: {
      event: {
        event_id: "e1",
        title: "it broke",
        url: "https://x.example.com/api/0/projects/shop/checkout/events/e1/",
      },
      triggered_rule: rule,
    },
  });
  const answers = [await send(triggered("one"), { to }), await send(triggered("two"), { to, replica: 1 })];
  expect(answers.map(({ body }) => body)).toEqual([receipt(1), receipt(0, 1)]);
  const [run] = await runsOf(to);
  expect(JSON.parse(run?.spec.trigger.payload ?? "")).toMatchObject({ alert: "one", title: "it broke" });
});

describe("refusals, in their order", () => {
  const body = "{";
  const large = "x".repeat(262_145);
  it.each([
    ["another method", 405, { method: "GET" }, ""],
    ["no such automation, no signature, too large", 404, { to: { id: "demo.none" }, signature: null }, large],
    ["no well-formed id", 404, { path: "/webhooks/error-tracker/none" }, body],
    ["no signature, too large", 401, { signature: null }, large],
    ["an empty signature", 401, { signature: "" }, body],
    ["too large, wrong signature", 413, { signature: "0".repeat(64) }, large],
    ["wrong signature, broken JSON", 401, { signature: "0".repeat(64) }, body],
    ["a signature by another secret", 401, { signature: signed(body, "another secret!!") }, body],
    ["broken JSON", 400, {}, body],
    ["an empty body", 400, {}, ""],
    ["bytes that are not UTF-8", 400, {}, Buffer.from([0xff, 0x22])],
  ])("%s", async (_what, status, options, sent) => {
    const answer = await send(sent, options);
    expect([answer.status, answer.body]).toEqual([status, { error: expect.any(String) as string }]);
    const challenge = status === 401 ? 'HMAC-SHA256 header="Sentry-Hook-Signature"' : undefined;
    expect(answer.headers["www-authenticate"]).toBe(challenge);
    expect(await runsOf(made)).toEqual([]);
  });

  it("a body of 262,144 bytes is taken, also chunked, one byte more is not", async () => {
    const sized = (bytes: number): string => JSON.stringify(created).padEnd(bytes);
    expect((await send(sized(262_144))).status).toBe(200);
    expect((await send(sized(262_144), { chunked: true })).status).toBe(200);
    expect((await send(sized(262_145), { chunked: true })).status).toBe(413);
  });

  it.each([
    ["no Secret", null],
    ["an empty secret", { "signing-secret": "" }],
    ["an API key's hash only", { sha256: "0".repeat(64) }],
  ])("without a signing secret nothing is taken: %s", async (_what, secrets) => {
    const to = await makeTracker({}, secrets);
    for (const signature of [signed("{}", ""), null]) {
      const { status, headers } = await send("{}", { to, signature });
      expect([status, headers["retry-after"]]).toEqual([503, "60"]);
    }
  });
});

it("a sample of key curl starts a Run where explain says so", async () => {
  const to = await makeTracker({ events: ["MetricAlertCritical", "IssueAlertTriggered"], projects: ["checkout"] });
  const path = `/apis/runwright.dev/v1alpha1/namespaces/${to.namespace}/automations/${to.name}`;
  const automation = (await testApi().send("GET", path)).body as Automation;
  const { body } = exampleEvent(wantedEvents(automation), systemRandom);
  const { decision, runName } = explainDelivery(automation, Buffer.from(body));
  expect(decision).toBe("Started");
  expect((await send(body, { to })).body).toEqual(receipt(1));
  expect((await runsOf(to)).map(({ metadata }) => metadata.name)).toEqual([runName]);
});

it("two secrets are valid while one replaces the other", async () => {
  const to = await makeTracker({}, { "signing-secret": secret, "previous-signing-secret": "previous-secret!" });
  const other = { action: "created", data: { issue: { ...issue, id: "43" } } };
  expect((await send(created, { to })).body).toEqual(receipt(1));
  expect((await send(other, { to, signature: signed(JSON.stringify(other), "previous-secret!") })).body).toEqual(
    receipt(1),
  );
});

it("events that are not asked for, and paused automations, start nothing and use nothing up", async () => {
  const to = await makeTracker({ projects: ["web"] });
  expect((await send(created, { to })).body).toEqual(receipt(0));
  expect((await send({ action: "triggered", data: {} }, { to })).body).toEqual(receipt(0));
  await patchAutomation(to, { spec: { suspend: true, trigger: { errorTracker: { projects: ["checkout"] } } } });
  world.replica.forget();
  expect((await send(created, { to })).body).toEqual(receipt(0));
  await patchAutomation(to, { spec: { suspend: false } });
  world.replica.forget();
  expect((await send(created, { to })).body).toEqual(receipt(1));
});

it("each path leads to automations of its own trigger only", async () => {
  const webhook = await makeAutomation(world);
  expect((await send(created, { to: webhook })).status).toBe(404);
  expect((await deliver(world.replica, made, created)).status).toBe(404);
});

it("a deleted automation is not there any more", async () => {
  expect((await send(created)).status).toBe(200);
  await deleteAutomation(made);
  world.replica.forget();
  expect((await send(created)).status).toBe(404);
});

it.each([
  ["no settings", { type: "ErrorTracker" }, /errorTracker belongs to trigger type ErrorTracker, which needs it/],
  [
    "settings of another type",
    { type: "Manual", errorTracker: { events: ["IssueCreated"] } },
    /errorTracker belongs to/,
  ],
  ["no events", { type: "ErrorTracker", errorTracker: { events: [] } }, /events.*at least 1/],
  ["an unknown event", { type: "ErrorTracker", errorTracker: { events: ["IssueResolved"] } }, /Unsupported value/],
])("the API server refuses %s", async (_what, trigger, why) => {
  await expect(makeAutomation(world, {}, trigger)).rejects.toThrow(why);
});
