import { randomUUID } from "node:crypto";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { Automation, type Integration, type IntegrationEvent, type Run } from "../../../src/api/v1alpha1/index.ts";
import { keyOf } from "../../../src/lib/resource.ts";
import { until } from "../../support/kube.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { runsOf } from "./automation-world.ts";
import { makeChannelAutomation, nextChannel, onlyRun, said, say } from "./channel-world.ts";
import { ann, envelope, handled, makeSlackIntegration, mention, sendSlack } from "./slack-world.ts";
import { World } from "./world.ts";

let world: World;
let integration: Integration;
let channel: string;

beforeAll(async () => {
  world = await World.make();
  integration = await makeSlackIntegration(world, {}, { access: { users: [ann], userGroups: ["S0OPS"] } });
  await world.startConnector();
});
afterAll(() => world.close());
beforeEach(() => {
  channel = nextChannel();
});
afterEach(() => {
  world.slack.fault = undefined;
  world.slack.groups.clear();
});

const writes = (): unknown[] => world.ingressProxy.seen.filter(({ isWrite }) => isWrite);
const verdictOf = (event: IntegrationEvent): { reason: string; message: string } => {
  const { reason, message } = conditionOf(event, "Succeeded")!;
  return { reason, message };
};

describe("a message", () => {
  it("starts the Run of each Automation that wants it, and of no other", async () => {
    const wanting = { channels: [channel] };
    const [one, two] = [
      await makeChannelAutomation(world, integration, wanting),
      await makeChannelAutomation(world, integration, wanting),
    ];
    const other = await makeChannelAutomation(world, integration, {
      ...wanting,
      texts: [{ operator: "Contains", value: "passed" }],
    });
    const paused = await makeChannelAutomation(world, integration, { ...wanting, spec: { suspend: true } });
    const { event } = await say(world, integration, channel, "deploy failed");
    const runs = [await onlyRun(world, one), await onlyRun(world, two)];
    expect([await runsOf(world, other), await runsOf(world, paused)]).toEqual([[], []]);
    expect(event.status).toMatchObject({ triggered: 2, skipped: 0, steered: 0 });
    const { reason, message } = verdictOf(event);
    expect(reason).toBe("RunsStarted");
    for (const { metadata } of runs) expect(message).toContain(`Run ${metadata.name}`);
    expect(message).toContain(`${other.metadata.name}: the text does not contain "passed"`);
    expect(message).toContain(`${paused.metadata.name}: The automation is paused by hand`);
  });

  it("starts a Run where a regular expression matches it", async () => {
    const [wanting, other] = [
      await makeChannelAutomation(world, integration, {
        channels: [channel],
        texts: [{ operator: "RegularExpression", value: "^deploy .*(failed|broke)$", caseSensitivity: "Insensitive" }],
      }),
      await makeChannelAutomation(world, integration, {
        channels: [channel],
        texts: [{ operator: "RegularExpression", value: "^deploy [0-9]+$" }],
      }),
    ];
    const { event } = await say(world, integration, channel, "Deploy of API FAILED");
    const run = await onlyRun(world, wanting);
    expect(await runsOf(world, other)).toEqual([]);
    expect(verdictOf(event).message).toContain(`Run ${run.metadata.name}`);
    expect(verdictOf(event).message).toContain(
      `${other.metadata.name}: the text does not match the regular expression "^deploy [0-9]+$"`,
    );
  });

  it("becomes a Run with what the agent sees of it", async () => {
    const made = await makeChannelAutomation(world, integration, { channels: [channel] });
    const { event } = await say(world, integration, channel, "deploy &lt;api&gt; failed");
    const ts = event.spec.slack?.ts ?? "";
    const { metadata, spec } = await onlyRun(world, made);
    expect(metadata.labels).toEqual({
      "runwright.dev/automation-uid": made.metadata.uid,
      "runwright.dev/automation": made.metadata.name,
    });
    const { payload = "", ...trigger } = spec.trigger;
    expect(spec.automationRef).toEqual({ name: made.metadata.name, uid: made.metadata.uid, generation: 1 });
    expect(trigger).toEqual({
      type: "Slack",
      time: event.spec.receivedTime,
      deliveryID: event.metadata.name,
      idempotencyKey: `channel ${channel} message ${ts}`,
    });
    expect(JSON.parse(payload)).toEqual({
      channel: { id: channel, name: "ops" },
      by: ann,
      link: `https://acme.slack.com/archives/${channel}/p${ts.replace(".", "")}`,
      text: "deploy <api> failed",
    });
  });

  it("that is a reply in a thread without a Run comes with the thread before it", async () => {
    const root = world.slack.say({ channel, user: "U0BOB", text: "is it down?" });
    world.slack.say({ channel, bot_id: "B9", text: "alert", thread_ts: root });
    world.slack.say({ channel, bot_id: "B1", text: "I am here", thread_ts: root });
    const made = await makeChannelAutomation(world, integration, { channels: [channel] });
    await say(world, integration, channel, "yes", { root });
    const { thread } = JSON.parse((await onlyRun(world, made)).spec.trigger.payload ?? "") as { thread: object[] };
    expect(thread).toEqual([
      { speaker: "user", name: "U0BOB", text: "is it down?" },
      { speaker: "app", name: "", text: "alert" },
      { speaker: "self", name: "", text: "I am here" },
    ]);
  });

  it.each(["refuse", "error", "drop"] as const)("starts its Run without what Slack does not say: %s", async (fault) => {
    const made = await makeChannelAutomation(world, integration, { channels: [channel] });
    const root = world.slack.say({ channel, user: "U0BOB", text: "is it down?" });
    world.slack.fault = () => fault;
    const { event } = await say(world, integration, channel, "yes", { root });
    expect(verdictOf(event).reason).toBe("RunsStarted");
    const { payload = "" } = (await onlyRun(world, made)).spec.trigger;
    expect(JSON.parse(payload)).toEqual({ channel: { id: channel }, by: ann, text: "yes" });
  });

  it("is stored by one write, and once however often it is delivered", async () => {
    const made = await makeChannelAutomation(world, integration, { channels: [channel] });
    const { event } = said(world, channel, "deploy failed");
    const eventId = `Ev${randomUUID()}`;
    const body = envelope(world, event, eventId);
    world.ingressProxy.seen.splice(0);
    expect(await sendSlack(world, integration, body)).toMatchObject({ status: 200, body: { triggered: 1 } });
    expect(writes()).toHaveLength(1);
    const again = await Promise.all([1, 2].map(() => sendSlack(world, integration, body)));
    for (const one of again) expect(one).toMatchObject({ status: 200, body: { triggered: 0, skipped: 1 } });
    await world.settledEvent(integration, eventId);
    expect(await runsOf(world, made)).toHaveLength(1);
  });

  it("that another delivery brought starts no second Run", async () => {
    const made = await makeChannelAutomation(world, integration, { channels: [channel] });
    const { event } = said(world, channel, "deploy failed");
    const ids = ["1", "2"].map((end) => `Ev${randomUUID()}${end}`);
    for (const id of ids) {
      await sendSlack(world, integration, envelope(world, event, id));
      await world.settledEvent(integration, id);
    }
    const second = await world.settledEvent(integration, ids[1]!);
    expect(second.status).toMatchObject({ triggered: 0, skipped: 1 });
    expect(verdictOf(second).reason).toBe("RunsThere");
    expect(await runsOf(world, made)).toHaveLength(1);
  });
});

describe("a person", () => {
  const reasonFor = async (user: string, extra: object = {}): Promise<string> => {
    const { event } = await say(world, integration, channel, "deploy failed", { user, extra });
    return verdictOf(event).reason;
  };

  it("who is on no list starts nothing, unless all members may", async () => {
    const made = await makeChannelAutomation(world, integration, { channels: [channel] });
    expect(await reasonFor("U0BOB")).toBe("NotWanted");
    expect(await runsOf(world, made)).toEqual([]);
    const open = await makeChannelAutomation(world, integration, { channels: [channel], from: "Members" });
    expect(await reasonFor("U0BOB")).toBe("RunsStarted");
    expect([await runsOf(world, made), (await runsOf(world, open)).length]).toEqual([[], 1]);
  });

  it("of another workspace starts nothing, though all members may", async () => {
    const made = await makeChannelAutomation(world, integration, { channels: [channel], from: "Members" });
    expect(await reasonFor(ann, { user_team: "T0OTHER" })).toBe("NotWanted");
    expect(await runsOf(world, made)).toEqual([]);
  });

  it("in a user group that is listed starts a Run", async () => {
    const made = await makeChannelAutomation(world, integration, { channels: [channel] });
    world.slack.groups.set("S0OPS", ["U0CAT"]);
    // Members are remembered for a minute by Integration, so this one is asked for the first time.
    const own = await makeSlackIntegration(world, {}, { access: { userGroups: ["S0OPS"] } });
    const grouped = await makeChannelAutomation(world, own, { channels: [channel] });
    const { event } = await say(world, own, channel, "deploy failed", { user: "U0CAT" });
    expect(verdictOf(event).reason).toBe("RunsStarted");
    expect([(await runsOf(world, grouped)).length, await runsOf(world, made)]).toEqual([1, []]);
  });

  it("waits where Slack does not say who is in a group, and keeps no other Automation from its Run", async () => {
    const own = await makeSlackIntegration(world, {}, { access: { userGroups: ["S0OPS"] } });
    world.slack.groups.set("S0OPS", ["U0CAT"]);
    const asking = await makeChannelAutomation(world, own, { channels: [channel] });
    const open = await makeChannelAutomation(world, own, { channels: [channel], from: "Members" });
    const failing = { is: true };
    world.slack.fault = (method) => (failing.is && method === "usergroups.users.list" ? "error" : undefined);
    const { event } = said(world, channel, "deploy failed", { user: "U0CAT" });
    const eventId = `Ev${randomUUID()}`;
    await sendSlack(world, own, envelope(world, event, eventId));
    await until("the open one has its Run", async () => (await runsOf(world, open)).length === 1);
    expect(await runsOf(world, asking)).toEqual([]);
    failing.is = false;
    const settled = await world.settledEvent(own, eventId);
    expect(settled.status).toMatchObject({ triggered: 2, skipped: 0 });
    expect([(await runsOf(world, asking)).length, (await runsOf(world, open)).length]).toEqual([1, 1]);
  });
});

it("Runs are as many as may be unfinished; messages beyond wait in their order", async () => {
  const full = await makeChannelAutomation(world, integration, { channels: [channel], maxUnfinishedRuns: 1 });
  await say(world, integration, channel, "one");
  let newest: Run = await onlyRun(world, full);
  const ids: string[] = [];
  for (const text of ["two", "three"]) {
    const id = `Ev${randomUUID()}`;
    await sendSlack(world, integration, envelope(world, said(world, channel, text).event, id));
    ids.push(id);
  }
  const known = new Set([newest.metadata.name]);
  for (const id of ids) {
    const { metadata } = newest;
    await world.client.patchStatus(Automation, await world.client.get<Automation>(Automation, keyOf(full)), {
      activeRuns: 0,
      lastRun: { name: metadata.name ?? "", reason: "Completed", time: metadata.creationTimestamp ?? "" },
    });
    await world.settledEvent(integration, id);
    const added = (await runsOf(world, full)).filter((run) => !known.has(run.metadata.name));
    expect(added).toHaveLength(1);
    newest = added[0]!;
    known.add(newest.metadata.name);
  }
  expect(JSON.parse(newest.spec.trigger.payload ?? "")).toMatchObject({ text: "three" });
});

describe("at the ingress", () => {
  const send = (event: object) => sendSlack(world, integration, envelope(world, event));

  it.each<[string, (event: Record<string, unknown>) => object]>([
    ["a message of a channel that no Automation wants", (event) => ({ ...event, channel: "C0RANDOM" })],
    ["a message that mentions the app", (event) => ({ ...event, text: `<@${world.slack.botUser}> fix it` })],
    ["a message of a bot", (event) => ({ ...event, bot_id: "B7" })],
    ["an edit", (event) => ({ ...event, subtype: "message_changed" })],
    ["a deletion", (event) => ({ ...event, subtype: "message_deleted" })],
    ["who joined", (event) => ({ ...event, subtype: "channel_join" })],
  ])("%s is dropped before any write", async (_name, change) => {
    await makeChannelAutomation(world, integration, { channels: [channel] });
    world.ingressProxy.seen.splice(0);
    const answer = await send(change(said(world, channel, "deploy failed").event));
    expect(answer).toMatchObject({ status: 200, body: { triggered: 0, skipped: 0 } });
    expect(writes()).toEqual([]);
  });

  it("a message is dropped after the last Automation that wants it was deleted", async () => {
    const made = await makeChannelAutomation(world, integration, { channels: [channel] });
    expect(await send(said(world, channel, "a").event)).toMatchObject({ body: { triggered: 1 } });
    await world.client.delete(Automation, keyOf(made));
    await until("the ingress knows", () => !world.wantedChannels(integration).has(channel));
    expect(await send(said(world, channel, "b").event)).toMatchObject({ status: 200, body: { triggered: 0 } });
  });

  it("a mention in such a channel is a request of its own, and fires nothing", async () => {
    const made = await makeChannelAutomation(world, integration, { channels: [channel] });
    const { event } = mention(world, "fix it", { channel });
    const request = await handled(world, integration, event);
    await send({ ...event, type: "message", channel_type: "channel" });
    expect(verdictOf(request).reason).toBe("SessionStarted");
    expect(await runsOf(world, made)).toEqual([]);
  });
});
