import { createHmac, randomUUID } from "node:crypto";

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { Integration } from "../../../src/api/v1alpha1/index.ts";
import { ann, envelope, makeSlackIntegration, mention, sendSlack } from "./slack-world.ts";
import { World } from "./world.ts";

let world: World;
let integration: Integration;

beforeAll(async () => {
  world = await World.make();
  integration = await makeSlackIntegration(world);
});
afterAll(() => world.close());
beforeEach(() => {
  world.ingressProxy.seen.splice(0);
});

const writes = (): unknown[] => world.ingressProxy.seen.filter(({ isWrite }) => isWrite);
const asked = (): object => envelope(world, mention(world, "fix it").event);
const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

describe("a signature", () => {
  const signed = (text: string): string => createHmac("sha256", "planted-signing-secret").update(text).digest("hex");

  it.each([
    // A second passes between here and the ingress at most.
    { name: "299 s ago", ageSeconds: 299, status: 200 },
    { name: "302 s ago", ageSeconds: 302, status: 401 },
    { name: "300 s ahead", ageSeconds: -300, status: 200 },
    { name: "302 s ahead", ageSeconds: -302, status: 401 },
  ])("of $name is answered $status", async ({ ageSeconds, status }) => {
    expect(await sendSlack(world, integration, asked(), { atSeconds: nowSeconds() - ageSeconds })).toMatchObject({
      status,
    });
  });

  it.each([
    { name: "no time", headers: { "x-slack-request-timestamp": undefined } },
    { name: "no signature", headers: { "x-slack-signature": undefined } },
    { name: "an empty signature", headers: { "x-slack-signature": "" } },
    { name: "half a signature", headers: { "x-slack-signature": `v0=${"a".repeat(32)}` } },
    { name: "another version", headers: { "x-slack-signature": `v1=${"a".repeat(64)}` } },
  ])("with $name is answered 401", async ({ headers }) => {
    expect(await sendSlack(world, integration, asked(), { headers })).toMatchObject({ status: 401 });
    expect(writes()).toEqual([]);
  });

  it.each(["abc", "1e9", "1767225600.0", "-5", " "])(
    "of the time %j is answered 401, though it is right",
    async (time) => {
      const body = JSON.stringify(asked());
      const headers = { "x-slack-request-timestamp": time, "x-slack-signature": `v0=${signed(`v0:${time}:${body}`)}` };
      expect(await sendSlack(world, integration, body, { headers })).toMatchObject({ status: 401 });
    },
  );

  it("is of the bytes that were sent", async () => {
    const time = String(nowSeconds());
    const body = JSON.stringify(asked());
    const headers = { "x-slack-request-timestamp": time, "x-slack-signature": `v0=${signed(`v0:${time}:${body}`)}` };
    expect(await sendSlack(world, integration, `${body}\n`, { headers })).toMatchObject({ status: 401 });
    expect(await sendSlack(world, integration, body, { headers })).toMatchObject({ status: 200 });
  });

  it("of another secret is refused", async () => {
    expect(await sendSlack(world, integration, asked(), { secret: "other" })).toMatchObject({ status: 401 });
  });

  it("is checked before the request URL is verified", async () => {
    const body = { type: "url_verification", token: "t", challenge: "abc123" };
    expect(await sendSlack(world, integration, body, { secret: "other" })).toMatchObject({ status: 401 });
    expect(await sendSlack(world, integration, body)).toMatchObject({ status: 200, body: { challenge: "abc123" } });
    expect(writes()).toEqual([]);
  });
});

describe("a request", () => {
  it.each([
    { name: "no JSON", body: () => "nope", status: 400 },
    { name: "no event", body: () => ({ type: "event_callback" }), status: 400 },
    { name: "of no delivery", body: () => ({ ...asked(), event_id: undefined }), status: 400 },
    { name: "of another workspace", body: () => ({ ...asked(), team_id: "T0EVIL" }), status: 403 },
    {
      name: "without a message's time",
      body: () => envelope(world, { ...mention(world, "x").event, ts: undefined }),
      status: 400,
    },
    { name: "with no form's payload", body: () => "payload=nope", status: 400, form: true },
  ])("that is $name is answered $status", async ({ body, status, form = false }) => {
    const headers = form ? { "content-type": "application/x-www-form-urlencoded" } : {};
    expect(await sendSlack(world, integration, body(), { headers })).toMatchObject({ status });
    expect(writes()).toEqual([]);
  });

  const event = (change: object): object => ({ ...mention(world, "fix it").event, ...change });
  it.each([
    { name: "of a type that is not handled", change: { type: "reaction_added" } },
    { name: "of the bot itself", change: () => ({ user: world.slack.botUser }) },
    { name: "of another bot", change: { bot_id: "B2" } },
    { name: "of a bot's subtype", change: { subtype: "bot_message", user: undefined } },
    { name: "of an edited message", change: { edited: { user: ann, ts: "1.000000" } } },
    { name: "of a person who joined", change: { subtype: "channel_join" } },
    { name: "of a reply without a mention", change: { type: "message", channel_type: "channel" } },
    { name: "of the messages tab", change: { type: "app_home_opened", tab: "messages" } },
    { name: "of a group's direct message without a mention", change: { type: "message", channel_type: "mpim" } },
  ])("$name is dropped before any write", async ({ change }) => {
    const changed = typeof change === "function" ? change() : change;
    const answer = await sendSlack(world, integration, envelope(world, event(changed)));
    expect(answer).toMatchObject({ status: 200, body: { triggered: 0, skipped: 0 } });
    expect(writes()).toEqual([]);
    expect(world.answers.at(-1)).toMatchObject({ outcome: "unmatched" });
  });

  it("is stored by one write, and once however often it is sent", async () => {
    const body = envelope(world, mention(world, "fix it").event, `Ev${randomUUID()}`);
    expect(await sendSlack(world, integration, body)).toMatchObject({ status: 200, body: { triggered: 1 } });
    expect(writes()).toHaveLength(1);
    const again = await Promise.all(
      ["1", "2"].map((retry) => sendSlack(world, integration, body, { headers: { "x-slack-retry-num": retry } })),
    );
    for (const one of again) expect(one).toMatchObject({ status: 200, body: { triggered: 0, skipped: 1 } });
  });

  it("of a message is one, also under another id and as another kind of event", async () => {
    const { event } = mention(world, "fix it", { channel: "D0ANN", extra: { channel_type: "im" } });
    const told = [event, event, { ...event, type: "message" }].map((one) => envelope(world, one, `Ev${randomUUID()}`));
    const answers = await Promise.all(told.map((body) => sendSlack(world, integration, body)));
    expect(answers.map(({ body }) => body.triggered).sort()).toEqual([0, 0, 1]);
    expect(answers.map(({ body }) => body.skipped).sort()).toEqual([0, 1, 1]);
  });

  it.each([
    { bytes: 1_048_576, status: 200 },
    { bytes: 1_048_577, status: 413 },
    { bytes: 26_214_400, status: 413 },
  ])("of $bytes bytes is answered $status", async ({ bytes, status }) => {
    const body = Buffer.from(JSON.stringify(asked()));
    const sent = Buffer.concat([body, Buffer.alloc(bytes - body.length, " ")]);
    expect(await sendSlack(world, integration, sent)).toMatchObject({ status });
    expect(writes()).toHaveLength(status === 200 ? 1 : 0);
  });

  it("of Slack's is none of Linear's", async () => {
    const linear = await world.makeIntegration();
    expect(await sendSlack(world, linear, asked())).toMatchObject({ status: 404 });
  });
});
