import { randomUUID } from "node:crypto";

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";

import {
  Automation,
  type Integration,
  type IntegrationEvent,
  Prompt,
  Run,
  Session,
} from "../../../src/api/v1alpha1/index.ts";
import { makePrompt } from "../../../src/domain/prompts/make-prompt.ts";
import { keyOf } from "../../../src/lib/resource.ts";
import { aVerdict } from "../../support/builders.ts";
import { until } from "../../support/kube.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { runsOf } from "./automation-world.ts";
import { age, begin, makeChannelAutomation, nextChannel, onlyRun, said, say, threadOf } from "./channel-world.ts";
import { ann, envelope, handled, makeSlackIntegration, saidIn, sendSlack } from "./slack-world.ts";
import { answerPrompt, type Connector, World } from "./world.ts";

const day = 86_400_000;
let world: World;
let connector: Connector;
let integration: Integration;
let automation: Automation;
let channel: string;

beforeAll(async () => {
  world = await World.make();
  integration = await makeSlackIntegration(world, {}, { access: { users: [ann] } });
  connector = await world.startConnector();
});
afterAll(() => world.close());
beforeEach(async () => {
  channel = nextChannel();
  automation = await makeChannelAutomation(world, integration, {
    channels: [channel],
    texts: [{ operator: "Contains", value: "failed" }],
  });
});
afterEach(() => {
  connector.proxy.decide(() => undefined);
  world.slack.fault = undefined;
  expect(world.slack.refused).toEqual([]);
});

const reasonOf = (event: IntegrationEvent): string => conditionOf(event, "Succeeded")?.reason ?? "";

/** The thread of a Run that has begun. */
async function begun(): Promise<{ root: string; run: Run; session: Session; prompt: Prompt }> {
  const { root } = await say(world, integration, channel, "deploy failed");
  const run = await onlyRun(world, automation);
  return { root, run, ...(await begin(world, run, automation)) };
}

const reply = (root: string, text: string, rest: { user?: string } = {}) =>
  say(world, integration, channel, text, { root, ...rest });

const promptOf = ({ status }: IntegrationEvent): Promise<Prompt> =>
  world.client.get<Prompt>(Prompt, { namespace: world.namespace, name: status?.promptName ?? "" });

describe("a reply in the thread of a Run", () => {
  it("becomes a follow-up prompt with its text alone, whatever the conditions", async () => {
    const { root, session } = await begun();
    const { event } = await reply(root, "and the <b> other?\n\nplease");
    expect(event.status).toMatchObject({ triggered: 0, skipped: 0, steered: 1, sessionName: session.metadata.name });
    expect(reasonOf(event)).toBe("SessionPrompted");
    const prompt = await promptOf(event);
    expect(prompt.spec).toEqual({ sessionRef: { name: session.metadata.name }, text: "and the <b> other?\n\nplease" });
    expect(prompt.metadata.annotations).toEqual({
      "runwright.dev/requested-by": `slack:${world.slack.team.id}:${ann}`,
    });
    expect(await runsOf(world, automation)).toHaveLength(1);
  });

  it.each([true, false])("goes to a Run that has ended, too; it completed: %s", async (succeeded) => {
    const { root, run } = await begun();
    const verdict = aVerdict(succeeded, succeeded ? "Completed" : "Failed", new Date());
    await world.client.patchStatus(Run, await world.client.get<Run>(Run, keyOf(run)), { conditions: [verdict] });
    expect((await reply(root, "again")).event.status).toMatchObject({ steered: 1 });
  });

  it("of a person who is on no list does nothing", async () => {
    const { root } = await begun();
    const { event } = await reply(root, "it failed", { user: "U0BOB" });
    expect([reasonOf(event), event.status?.steered]).toEqual(["NotWanted", 0]);
  });

  it("while the Automation is paused does nothing", async () => {
    const { root } = await begun();
    await world.client.patch(Automation, keyOf(automation), { spec: { suspend: true } });
    await until("it does nothing", async () => reasonOf((await reply(root, "it failed")).event) === "NotWanted");
  });

  it("goes to the session for 7 days from the first message, which replies do not extend", async () => {
    const { root, run } = await begun();
    const thread = (await threadOf(world, automation, channel, root))!;
    await age(world, thread, 6 * day);
    expect((await reply(root, "it failed again")).event.status).toMatchObject({ steered: 1 });
    await age(world, thread, 2 * day);
    const { event } = await reply(root, "it failed once more");
    expect(event.status).toMatchObject({ triggered: 1, steered: 0 });
    const runs = await runsOf(world, automation);
    expect(runs).toHaveLength(2);
    const second = runs.find(({ metadata }) => metadata.uid !== run.metadata.uid)!;
    const { session } = await begin(world, second, automation);
    const { event: last } = await reply(root, "and now?");
    expect(last.status).toMatchObject({ steered: 1, sessionName: session.metadata.name });
  });

  it("that conditions exclude starts nothing after 7 days", async () => {
    const { root } = await begun();
    await age(world, (await threadOf(world, automation, channel, root))!, 8 * day);
    expect(reasonOf((await reply(root, "thanks")).event)).toBe("NotWanted");
  });

  it("starts a Run where the session is gone", async () => {
    const { root, run, session } = await begun();
    await world.client.delete(Session, keyOf(session));
    await world.client.delete(Run, keyOf(run));
    expect((await reply(root, "it failed again")).event.status).toMatchObject({ triggered: 1, steered: 0 });
  });

  it.each([
    [49, { steered: 1, triggered: 0 }],
    [50, { steered: 0, triggered: 1 }],
  ])("to a session with %i unfinished prompts: %j", async (count, want) => {
    const { root, session } = await begun();
    for (let made = 1; made < count; made += 1) {
      await world.client.create(Prompt, makePrompt(session, { name: `${session.metadata.name}-x${made}`, text: "x" }));
    }
    await until("the connector knows them", async () => {
      const { event } = await reply(root, "it failed again");
      const { steered = 0, triggered = 0 } = event.status ?? {};
      return steered === want.steered && triggered === want.triggered;
    });
  });

  it("before there is a session is skipped, and its sender reads so once", async () => {
    const { root } = await say(world, integration, channel, "deploy failed");
    const before = world.slack.ephemeral.length;
    const { event } = await reply(root, "it failed");
    expect(event.status).toMatchObject({ triggered: 0, skipped: 1, steered: 0 });
    expect(reasonOf(event)).toBe("SessionNotStarted");
    await until("the sender reads so", () => world.slack.ephemeral.length > before);
    expect(world.slack.ephemeral.slice(before)).toEqual([
      { channel, user: ann, text: expect.stringContaining("has not begun yet") as string },
    ]);
  });

  it("that comes right after the first message waits for that", async () => {
    const root = said(world, channel, "deploy failed");
    const second = said(world, channel, "it failed", { root: root.ts });
    const ids = [`Ev${randomUUID()}`, `Ev${randomUUID()}`];
    await sendSlack(world, integration, envelope(world, root.event, ids[0]));
    await sendSlack(world, integration, envelope(world, second.event, ids[1]));
    await world.settledEvent(integration, ids[1]!);
    expect(await runsOf(world, automation)).toHaveLength(1);
  });
});

it("the first message of a thread that Slack delivers after a reply starts no Run beside that of the reply", async () => {
  const root = said(world, channel, "deploy failed");
  const first = await reply(root.ts, "it failed again");
  expect(first.event.status).toMatchObject({ triggered: 1 });
  const second = await handled(world, integration, root.event);
  expect(second.status).toMatchObject({ triggered: 0, steered: 0, skipped: 1 });
  expect(reasonOf(second)).toBe("RunsThere");
  const run = await onlyRun(world, automation);
  expect(run.spec.trigger.payload).toContain("deploy failed");
  const { session } = await begin(world, run, automation);
  expect((await reply(root.ts, "and now?")).event.status).toMatchObject({
    steered: 1,
    sessionName: session.metadata.name,
  });
});

it("with maxUnfinishedRuns 1, a reply goes to the session while its Run is unfinished, and another thread waits", async () => {
  const place = nextChannel();
  const single = await makeChannelAutomation(world, integration, { channels: [place], maxUnfinishedRuns: 1 });
  const { root } = await say(world, integration, place, "deploy failed");
  const run = await onlyRun(world, single);
  await begin(world, run, single);
  const eventId = `Ev${randomUUID()}`;
  await sendSlack(world, integration, envelope(world, said(world, place, "login failed").event, eventId));
  const { event } = await say(world, integration, place, "and now?", { root });
  expect(event.status).toMatchObject({ steered: 1 });
  expect(await runsOf(world, single)).toHaveLength(1);
  const { name = "", creationTimestamp: time = "" } = run.metadata;
  await world.client.patchStatus(Automation, await world.client.get<Automation>(Automation, keyOf(single)), {
    activeRuns: 0,
    lastRun: { name, reason: "Completed", time },
  });
  expect((await world.settledEvent(integration, eventId)).status).toMatchObject({ triggered: 1 });
});

it.each(["answer", "lose"] as const)(
  "each write that fails once is made again, of which nothing is doubled: %s",
  async (kind) => {
    const failed = new Set<string>();
    connector.proxy.decide(({ isWrite, path }) => {
      const what = path.replace(/^.*\/namespaces\/[^/]+\//, "").replace(/\/[^/]+(?=\/status)|\?.*$/g, "");
      if (!isWrite || path.includes("/leases") || path.includes("/events.k8s.io/") || failed.has(what))
        return undefined;
      failed.add(what);
      return kind === "answer" ? { kind, status: 500 } : { kind };
    });
    const { root, prompt } = await begun();
    const { event } = await reply(root, "and now?");
    expect(event.status).toMatchObject({ triggered: 0, steered: 1 });
    await answerPrompt(world, prompt, "One.");
    await answerPrompt(world, await promptOf(event), "Two.");
    await until("both answers are there", () => saidIn(world, root, channel).length === 2);
    const thread = await threadOf(world, automation, channel, root);
    expect(thread?.status?.posts?.map(({ kind: what }) => what)).toEqual(["Answer", "Answer"]);
    expect(await runsOf(world, automation)).toHaveLength(1);
    expect([...failed]).toEqual(
      expect.arrayContaining(["runs", "conversations", "conversations/status", "prompts", "integrationevents/status"]),
    );
  },
);

describe("the answer of a Run", () => {
  const said2 = (root: string): string[] => saidIn(world, root, channel).map(({ text }) => text);
  const postsOf = async (root: string): Promise<string[]> => {
    const posts = (await threadOf(world, automation, channel, root))?.status?.posts ?? [];
    return posts.map(({ kind, progress }) => `${kind} ${progress}`);
  };

  it("is posted into the thread, and so is that of a follow-up", async () => {
    const { root, prompt } = await begun();
    expect(await postsOf(root)).toEqual(["Answer Waiting"]);
    await answerPrompt(world, prompt, "It was the cache.");
    await until("the answer is there", () => said2(root).length === 1);
    expect(said2(root)[0]).toContain("It was the cache.");
    const { event } = await reply(root, "fix it");
    await answerPrompt(world, await promptOf(event), "Fixed.");
    await until("the second answer is there", () => said2(root).length === 2);
    expect(said2(root)[1]).toContain("Fixed.");
    await until("both are noted", async () => (await postsOf(root)).every((post) => post === "Answer Sent"));
  });

  it.each(["", "NO_REPLY", " no_reply. "])("of %j posts nothing", async (summary) => {
    const { root, prompt } = await begun();
    await settle(prompt, summary, true);
    await until("it is left out", async () => (await postsOf(root))[0] === "Answer Dropped");
    expect(said2(root)).toEqual([]);
  });

  it("that says nothing is posted where the agent pushed a branch, and where it failed", async () => {
    const { root, prompt } = await begun();
    await answerPrompt(world, prompt, "NO_REPLY");
    await until("the branch is told", () => said2(root).length === 1);
    const { event } = await reply(root, "again");
    await settle(await promptOf(event), "NO_REPLY", false);
    await until("the failure is told", () => said2(root).length === 2);
    expect(said2(root)[1]).toContain("It failed (Failed)");
  });

  it("of two Automations are both posted", async () => {
    const other = await makeChannelAutomation(world, integration, { channels: [channel] });
    const { root, prompt } = await begun();
    const second = await begin(world, await onlyRun(world, other), other);
    await answerPrompt(world, prompt, "One.");
    await answerPrompt(world, second.prompt, "Two.");
    await until("both are there", () => said2(root).length === 2);
    expect(
      said2(root)
        .map((text) => text.slice(0, 4))
        .sort(),
    ).toEqual(["One.", "Two."]);
  });

  /** As the gateway does, without a branch. */
  async function settle(prompt: Prompt, summary: string, succeeded: boolean): Promise<void> {
    const live = await world.client.get<Prompt>(Prompt, keyOf(prompt));
    const now = new Date();
    await world.client.patchStatus(Prompt, live, {
      completionTime: now.toISOString(),
      result: { summary },
      conditions: [aVerdict(succeeded, succeeded ? "Completed" : "Failed", now)],
    });
  }
});
