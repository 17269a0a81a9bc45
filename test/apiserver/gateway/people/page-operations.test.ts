import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { impersonate, openPeopleWorld, ours, type PeopleWorld } from "../../../support/people-world.ts";
import { create, makeSandbox } from "../../../support/runtime-world.ts";

let people: PeopleWorld;
beforeAll(async () => {
  people = await openPeopleWorld();
});
afterAll(() => people.close());

const get = ours("automations", "get");
const patch = ours("automations", "patch");

it("says who the caller is, to every accepted token", async () => {
  const token = await people.caller([]);
  const { status, body } = await people.send("/caller", { token });
  expect([status, body.username]).toEqual([200, expect.stringMatching(/^system:serviceaccount:tenant-.*:caller-/)]);
  expect((await people.send("/caller", { token: "" })).status).toBe(401);
});

describe("the rights on an automation", () => {
  const none = {
    listInvocations: false,
    listDeliveries: false,
    trigger: false,
    pause: false,
    resume: false,
    regenerateKey: false,
  };

  it.each([
    { rules: [], want: {} },
    { rules: [ours("runs", "list")], want: { listInvocations: true } },
    { rules: [ours("deliverylogs", "get")], want: { listDeliveries: true } },
    { rules: [ours("runs", "create")], want: { trigger: true } },
    { rules: [ours("automations/key", "create")], want: { regenerateKey: true } },
    // A resume after failures changes no spec.
    { rules: [patch], want: { resume: true } },
    { rules: [patch, impersonate], want: { pause: true, resume: true } },
    { rules: [impersonate], want: {} },
  ])("with $rules are $want", async ({ rules, want }) => {
    const { id } = await people.makeAutomation();
    const token = await people.caller([get, ...rules]);
    expect((await people.send(`/automations/${id}/rights`, { token })).body).toEqual({ ...none, ...want });
  });

  it("to resume one that a person paused need the right to impersonate", async () => {
    const { id } = await people.makeAutomation({ spec: { suspend: true } });
    const token = await people.caller([get, patch]);
    expect((await people.send(`/automations/${id}/rights`, { token })).body).toEqual(none);
  });

  it.each([
    ["there is none", { type: "Manual" }],
    ["Git has its hash", { type: "Webhook", webhook: { keyHashSecretRef: { name: "key" } } }],
  ])("name no key where %s", async (_, trigger) => {
    const { id } = await people.makeAutomation({ spec: { trigger } });
    expect((await people.send(`/automations/${id}/rights`)).body.regenerateKey).toBe(false);
  });

  it("are those on this automation, not on all", async () => {
    const [one, other] = [await people.makeAutomation(), await people.makeAutomation()];
    const token = await people.caller([get, { ...ours("automations/key", "create"), resourceNames: [one.name] }]);
    const mayRegenerate = async (id: string): Promise<unknown> =>
      (await people.send(`/automations/${id}/rights`, { token })).body.regenerateKey;
    expect([await mayRegenerate(one.id), await mayRegenerate(other.id)]).toEqual([true, false]);
  });
});

describe("the deliveries of an automation", () => {
  it("are none before the first", async () => {
    const { id } = await people.makeAutomation();
    const { status, body } = await people.send(`/automations/${id}/deliveries`);
    expect([status, body]).toEqual([200, { deliveries: [], refusals: [] }]);
  });

  it("are what the ingress has recorded", async () => {
    const { id, name } = await people.makeAutomation();
    const time = "2026-03-31T12:00:00Z";
    const of = { time, decision: "Filtered", message: "no match", httpStatus: 200, bodyBytes: 2 };
    await create(`/apis/runwright.dev/v1alpha1/namespaces/${people.world.tenant}/deliverylogs`, {
      apiVersion: "runwright.dev/v1alpha1",
      kind: "DeliveryLog",
      metadata: { name },
      spec: {
        deliveries: [
          { ...of, id: "d2", body: "{}" },
          { ...of, id: "d1", decision: "Started", runName: "r" },
        ],
        refusals: [{ reason: "WrongKey", count: 3, lastTime: time }],
      },
    });
    const shown = { receivedAt: Date.parse(time), message: "no match", httpStatus: 200, bodyBytes: 2 };
    expect((await people.send(`/automations/${id}/deliveries`)).body).toEqual({
      deliveries: [
        { ...shown, id: "d2", decision: "Filtered", invocationId: null, body: "{}" },
        { ...shown, id: "d1", decision: "Started", invocationId: "r", body: null },
      ],
      refusals: [{ reason: "WrongKey", count: 3, lastAt: Date.parse(time) }],
    });
  });
});

describe("the example of a webhook", () => {
  it("matches its filters, has no key, and is another event each time", async () => {
    const filters = [{ path: "$.count", operator: "gte", value: 3 }];
    const { id } = await people.makeAutomation({ spec: { trigger: { type: "Webhook", webhook: { filters } } } });
    const [first, second] = [
      await people.send(`/automations/${id}/example`),
      await people.send(`/automations/${id}/example`),
    ];
    expect(first.body).toMatchObject({ variable: "RUNWRIGHT_API_KEY", problem: null });
    expect(first.body.curl).toContain(`'https://hooks.example.com/webhooks/automation/${id}'`);
    expect(first.body.curl).toContain('"Authorization: Bearer $RUNWRIGHT_API_KEY"');
    expect(first.body.curl).toContain('"count":3');
    expect(second.body.curl).not.toBe(first.body.curl);
  });

  it("signs where senders sign", async () => {
    const webhook = { authentication: { type: "HMAC", hmac: { preset: "github" } } };
    const { id } = await people.makeAutomation({ spec: { trigger: { type: "Webhook", webhook } } });
    const { body } = await people.send(`/automations/${id}/example`);
    expect(body.variable).toBe("RUNWRIGHT_SIGNING_SECRET");
    expect(body.curl).toContain("openssl dgst -sha256");
  });

  it("is there for no other trigger", async () => {
    const { id } = await people.makeAutomation({ spec: { trigger: { type: "Manual" } } });
    const { status, body } = await people.send(`/automations/${id}/example`);
    expect([status, body.code]).toEqual([400, "NotAWebhook"]);
  });
});

it("shows the filters of a webhook, and none of another trigger", async () => {
  const filters = [{ path: "$.count", operator: "gte", value: 3 }];
  const webhook = await people.makeAutomation({ spec: { trigger: { type: "Webhook", webhook: { filters } } } });
  const manual = await people.makeAutomation({ spec: { trigger: { type: "Manual" } } });
  const filtersOf = async (id: string): Promise<unknown> =>
    ((await people.send(`/automations/${id}`)).body.automation as { filters: unknown }).filters;
  expect(await filtersOf(webhook.id)).toEqual(filters);
  expect(await filtersOf(manual.id)).toBeNull();
});

describe("a session", () => {
  const seen = ours("sessions", "get");
  const none = {
    readEvents: false,
    listPrompts: false,
    getPrompts: false,
    createPrompt: false,
    stop: false,
    cancel: false,
    openTunnels: false,
    getPullRequest: false,
    requestPullRequest: false,
  };

  it.each([
    { rules: [], want: {} },
    { rules: [ours("sessions/log", "get")], want: { readEvents: true } },
    { rules: [ours("prompts", "list")], want: { listPrompts: true } },
    { rules: [ours("prompts", "get")], want: { getPrompts: true } },
    { rules: [ours("prompts", "create")], want: { createPrompt: true } },
    { rules: [ours("prompts", "patch")], want: { stop: true } },
    { rules: [ours("prompts", "patch", "list")], want: { stop: true, cancel: true, listPrompts: true } },
    { rules: [ours("sessions/tunnel", "create")], want: { openTunnels: true } },
    { rules: [ours("pullrequests", "list")], want: {} },
    {
      rules: [ours("prompts", "get"), ours("pullrequests", "list")],
      want: { getPrompts: true, getPullRequest: true },
    },
    {
      rules: [ours("prompts", "patch"), ours("pullrequests", "list")],
      want: { stop: true, requestPullRequest: true },
    },
  ])("has with $rules the rights $want", async ({ rules, want }) => {
    const { session } = await makeSandbox(people.world);
    const token = await people.caller([seen, ...rules]);
    const { body } = await people.send(`/sessions/${people.world.tenant}.${session}/rights`, { token });
    expect(body).toEqual({ ...none, ...want });
  });

  it("shows its cost, and ports as long as its sandbox lives", async () => {
    const sandbox = await makeSandbox(people.world);
    const tunnels = [{ port: 3000, url: "https://gateway.example.com/t" }];
    const token = await people.caller([seen]);
    const shown = async (): Promise<unknown> =>
      (await people.send(`/sessions/${people.world.tenant}.${sandbox.session}`, { token })).body.session;
    expect(await shown()).toMatchObject({ costUsd: null, tunnels: [] });
    await sandbox.status({ costUsd: "0.25", sandbox: { tunnels } });
    expect(await shown()).toMatchObject({ costUsd: "0.25", tunnels });
    await sandbox.status({ sandbox: { tunnels, endTime: "2026-03-31T12:00:00Z" } });
    expect(await shown()).toMatchObject({ tunnels: [] });
  });
});
