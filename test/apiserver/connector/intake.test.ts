import { createHmac, randomUUID } from "node:crypto";
import { request } from "node:http";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { Integration } from "../../../src/api/v1alpha1/index.ts";
import { keyOf } from "../../../src/lib/resource.ts";
import { testApi } from "../../support/cluster.ts";
import { until } from "../../support/kube.ts";
import type { LinearIssue } from "../../support/linear-server.ts";
import { signingSecret, World } from "./world.ts";

interface Answered {
  triggered: number;
}

let world: World;
let integration: Integration;
let issue: LinearIssue;

beforeAll(async () => {
  world = await World.make();
  integration = await world.makeIntegration();
  issue = world.makeIssue();
});
afterAll(() => world.close());
beforeEach(() => void world.ingressProxy.seen.splice(0));
afterEach(() => world.ingressProxy.decide(undefined));

const created = (at = new Date()): object => world.event("created", issue, "s", { text: "fix it", at });
const writes = (): string[] =>
  world.ingressProxy.seen
    .filter(({ isWrite, path }) => isWrite && !path.includes("deliverylogs"))
    .map(({ method, path }) => `${method} ${/[^/]+$/.exec(path.split("?")[0] ?? "")?.[0] ?? ""}`);
const signed = (bytes: Uint8Array, secret = signingSecret): string =>
  createHmac("sha256", secret).update(bytes).digest("hex");

/** Sends bytes with headers as they are given. */
function raw(
  body: Uint8Array,
  headers: Record<string, string> = {},
  { method = "POST", path = `/integrations/${world.namespace}.${integration.metadata.name ?? ""}/linear` } = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${world.url}${path}`, { method, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(parts).toString() }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

describe("an event", () => {
  it("is stored by one write before it is answered, and once however often it is delivered", async () => {
    const deliveryId = randomUUID();
    const before = (await world.events(integration)).length;
    const first = await world.send(integration, created(), { deliveryId });
    expect(first).toEqual({ status: 200, body: { ok: true, triggered: 1, skipped: 0, steered: 0 } });
    expect(writes()).toEqual(["POST integrationevents"]);
    const again = await Promise.all([1, 2, 3].map(() => world.send(integration, created(), { deliveryId })));
    // Where the connection to the API server broke, the event that is there may be the attempt's own.
    for (const answer of again) expect(answer).toMatchObject({ status: 200, body: { ok: true } });
    expect(await world.events(integration)).toHaveLength(before + 1);
  });

  it("of the same webhook but another delivery is another event", async () => {
    const before = (await world.events(integration)).length;
    await world.send(integration, created());
    await world.send(integration, created());
    expect(await world.events(integration)).toHaveLength(before + 2);
  });

  it("keeps what is needed and no more", async () => {
    const deliveryId = randomUUID();
    await world.send(integration, created(), { deliveryId });
    const event = (await world.events(integration)).find(({ spec }) => spec.deliveryID === deliveryId);
    expect(event?.spec.linear).toEqual({
      action: "Created",
      agentSessionID: "s",
      issueID: issue.id,
      issueIdentifier: issue.identifier,
      teamKey: "ENG",
      actor: { id: "3f1d0000-0000-4000-8000-000000000009", name: "Ann", email: "ann@example.com" },
      text: "fix it",
    });
    expect(event?.metadata.ownerReferences).toMatchObject([{ kind: "Integration", uid: integration.metadata.uid }]);
  });

  it.each([
    { name: "a create that fails", fault: { kind: "answer", status: 500 } as const, status: 503 },
    { name: "a create that is throttled", fault: { kind: "answer", status: 429 } as const, status: 429 },
    { name: "no connection", fault: { kind: "refuse" } as const, status: 503 },
  ])("is not taken after $name", async ({ fault, status }) => {
    world.ingressProxy.decide(({ path, isWrite }) =>
      isWrite && path.includes("integrationevents") ? fault : undefined,
    );
    const deliveryId = randomUUID();
    expect(await world.send(integration, created(), { deliveryId })).toMatchObject({ status });
    world.ingressProxy.decide(undefined);
    expect(await world.send(integration, created(), { deliveryId })).toMatchObject({
      status: 200,
      body: { triggered: 1 },
    });
  });

  it("whose create got no answer is taken as its own", async () => {
    world.ingressProxy.inject(
      { kind: "lose" },
      { times: 1, matches: ({ path, isWrite }) => isWrite && path.includes("integrationevents") },
    );
    expect(await world.send(integration, created())).toMatchObject({ status: 200, body: { triggered: 1 } });
  });
});

describe("a signature", () => {
  const body = (): Buffer => Buffer.from(JSON.stringify(created()));
  const delivery = (): Record<string, string> => ({ "linear-delivery": randomUUID() });

  it.each([
    { name: "right", change: (text: string) => text, status: 200 },
    { name: "in upper case", change: (text: string) => text.toUpperCase(), status: 200 },
    { name: "half of it", change: (text: string) => text.slice(0, 32), status: 401 },
    { name: "empty", change: () => "", status: 401 },
    { name: "with the prefix of GitHub", change: (text: string) => `sha256=${text}`, status: 401 },
    { name: "with the prefix of Slack", change: (text: string) => `v0=${text}`, status: 401 },
    { name: "no hexadecimal", change: () => "z".repeat(64), status: 401 },
  ])("$name is answered $status", async ({ change, status }) => {
    const bytes = body();
    expect(await raw(bytes, { ...delivery(), "linear-signature": change(signed(bytes)) })).toMatchObject({ status });
    expect(writes()).toHaveLength(status === 200 ? 1 : 0);
  });

  it("is missed", async () => {
    expect(await raw(body(), delivery())).toMatchObject({ status: 401 });
  });

  it.each([
    { name: "with one more line break", sent: (bytes: Buffer) => Buffer.concat([bytes, Buffer.from("\n")]) },
    {
      name: "of the same JSON in another order",
      sent: (bytes: Buffer) =>
        Buffer.from(
          JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(bytes.toString()) as object).reverse())),
        ),
    },
  ])("does not fit a body $name", async ({ sent }) => {
    const bytes = body();
    expect(await raw(sent(bytes), { ...delivery(), "linear-signature": signed(bytes) })).toMatchObject({ status: 401 });
  });

  it("of another secret is refused", async () => {
    expect(await world.send(integration, created(), { secret: "other" })).toMatchObject({ status: 401 });
  });

  it("is of the bytes that were sent, also where they are no UTF-8, which then is no event", async () => {
    const bytes = Buffer.from([0x7b, 0xff, 0x7d]);
    expect(await raw(bytes, { ...delivery(), "linear-signature": signed(bytes) })).toMatchObject({ status: 400 });
  });

  it("is taken by either secret while they are changed, and by the old one no more afterwards", async () => {
    const own = await world.makeIntegration();
    const name = `${own.metadata.name ?? ""}-signing`;
    const path = `/api/v1/namespaces/${world.namespace}/secrets/${name}`;
    const store = (stringData: object): Promise<unknown> =>
      testApi().apply(path, { apiVersion: "v1", kind: "Secret", metadata: { name }, stringData });
    await store({ "signing-secret": "new-secret", "previous-signing-secret": signingSecret });
    await world.touch(own);
    await until(
      "the new one is taken",
      async () => (await world.send(own, created(), { secret: "new-secret" })).status === 200,
    );
    expect(await world.send(own, created())).toMatchObject({ status: 200 });
    await testApi().send("PATCH", path, { data: { "previous-signing-secret": null } });
    await world.touch(own);
    await until("the old one is not", async () => (await world.send(own, created())).status === 401);
    expect(await world.send(own, created(), { secret: "new-secret" })).toMatchObject({ status: 200 });
  });

  it("cannot be checked without a secret, which is not taken for right", async () => {
    const own = await world.makeIntegration();
    const path = `/api/v1/namespaces/${world.namespace}/secrets/${own.metadata.name ?? ""}-signing`;
    await testApi().send("DELETE", path);
    await world.client.patch(
      Integration,
      { namespace: world.namespace, name: own.metadata.name ?? "" },
      { spec: { sessionInstructions: "x" } },
    );
    await until("there is no copy", async () => (await world.send(own, created())).status === 503);
    expect(await world.send(own, created(), { secret: "" })).toMatchObject({ status: 503 });
  });
});

describe("a request", () => {
  const at = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);

  it.each([
    { name: "59 s old", body: () => created(at(59)), status: 200 },
    { name: "61 s old", body: () => created(at(61)), status: 401 },
    { name: "59 s ahead", body: () => created(at(-58)), status: 200 },
    { name: "62 s ahead", body: () => created(at(-62)), status: 401 },
    { name: "without a time", body: () => ({ ...created(), webhookTimestamp: undefined }), status: 400 },
    { name: "with a time that is text", body: () => ({ ...created(), webhookTimestamp: "abc" }), status: 400 },
    { name: "that is no JSON", body: () => "nope", status: 400 },
    { name: "that is null", body: () => "null", status: 400 },
    { name: "without an agent session", body: () => ({ ...created(), agentSession: undefined }), status: 400 },
    {
      name: "of another workspace",
      body: () => ({ ...created(), organizationId: "0b9e1c1e-0000-4000-8000-0000000000ff" }),
      status: 403,
    },
    { name: "of another type", body: () => ({ ...created(), type: "Issue" }), status: 200 },
    { name: "of another action", body: () => ({ ...created(), action: "moved" }), status: 200 },
  ])("$name is answered $status", async ({ body, status }) => {
    expect(await world.send(integration, body())).toMatchObject({ status });
  });

  it.each([
    { name: "another type", body: () => ({ ...created(), type: "Issue" }) },
    { name: "another action", body: () => ({ ...created(), action: "moved" }) },
  ])("of $name is dropped before any write", async ({ body }) => {
    expect(await world.send(integration, body())).toMatchObject({ status: 200, body: { triggered: 0, skipped: 0 } });
    expect(writes()).toEqual([]);
    expect(world.answers.at(-1)).toMatchObject({ outcome: "unmatched" });
  });

  it("with the webhook's id alone has no delivery", async () => {
    const bytes = Buffer.from(JSON.stringify(created()));
    expect(await raw(bytes, { "linear-signature": signed(bytes) })).toMatchObject({ status: 400 });
  });

  it("to a suspended integration is dropped", async () => {
    const own = await world.makeIntegration({ suspend: true });
    world.ingressProxy.seen.splice(0);
    expect(await world.send(own, created())).toMatchObject({ status: 200, body: { triggered: 0 } });
    expect(writes()).toEqual([]);
  });

  it("to an integration that is suspended while it is used is dropped within a minute", async () => {
    const own = await world.makeIntegration();
    const triggered = async (): Promise<number> => ((await world.send(own, created())).body as Answered).triggered;
    expect(await triggered()).toBe(1);
    await world.client.patch(Integration, keyOf(own), { spec: { suspend: true } });
    await until("it is dropped", async () => (await triggered()) === 0);
  });

  it.each([
    { path: "/integrations/none.none/linear", status: 404 },
    { path: "/integrations/none/linear", status: 404 },
    { path: "/integrations/none.none/slack", status: 404 },
    { path: "/integrations", status: 404 },
  ])("to $path is answered $status", async ({ path, status }) => {
    const bytes = Buffer.from("{}");
    expect(await raw(bytes, { "linear-signature": signed(bytes) }, { path })).toMatchObject({ status });
  });

  it("by GET is refused", async () => {
    expect(await raw(Buffer.alloc(0), {}, { method: "GET" })).toMatchObject({ status: 405 });
  });

  it.each([
    { bytes: 1_048_576, status: 400 },
    { bytes: 1_048_577, status: 413 },
  ])("of $bytes bytes is answered $status", async ({ bytes, status }) => {
    const body = Buffer.alloc(bytes, " ");
    expect(await raw(body, { "linear-signature": signed(body), "linear-delivery": "d" })).toMatchObject({ status });
  });
});
