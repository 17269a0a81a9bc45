import { randomUUID } from "node:crypto";

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { Environment, Integration, IntegrationEvent, Repository, Session } from "../../../src/api/v1alpha1/index.ts";
import { until } from "../../support/kube.ts";
import type { SlackFault } from "../../support/slack-server.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import {
  ann,
  channel,
  chosen,
  envelope,
  handled,
  makeSlackIntegration,
  mention,
  pressed,
  saidIn,
  sendSlack,
  subjectOf,
} from "./slack-world.ts";
import { answerPrompt, type Connector, promptsOf, World } from "./world.ts";

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
let world: World;
let integration: Integration;
let connector: Connector;

beforeAll(async () => {
  world = await World.make();
  await world.makeRepository("web", "https://github.com/acme/web.git");
  integration = await makeSlackIntegration(world);
  connector = await world.startConnector();
});
afterAll(() => world.close());
afterEach(() => {
  world.slack.fault = undefined;
  world.slack.refused.splice(0);
});

/** From now on a connector is at work whose clock is ahead by so much. */
async function at(aheadMs: number): Promise<void> {
  await connector.close();
  world.connectors.splice(0);
  connector = await world.startConnector({ aheadMs });
}

const lastPrompt = async (root: string): Promise<string> =>
  (await world.work(subjectOf(root))).prompts.at(-1)?.spec.text ?? "";
/** What a prompt shows of a thread, without the people's names. */
const shownOf = (text: string): string[] =>
  (/Earlier messages of the thread, further lines of a message indented:\n```\n([^`]*)\n```/.exec(text)?.[1] ?? "")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.replace(/^\[.*?\]: /, ""));
const say = (
  root: string,
  text: string,
  rest: { user?: string; bot_id?: string; subtype?: string } = { user: "U0BEN" },
): string => world.slack.say({ channel, thread_ts: root, text, ...rest });

describe("a thread", () => {
  it("of days 0, 6 and 12 is one session, since the 7 days slide; one after 8 days is another, with instructions", async () => {
    const own = await makeSlackIntegration(world, {}, { sessionInstructions: "Write a test." });
    const { event, root } = mention(world, "fix it");
    await handled(world, own, event);
    for (const days of [6, 12]) {
      await at(days * dayMs);
      expect((await handled(world, own, mention(world, "go on", { root }).event)).status).toMatchObject({ steered: 1 });
    }
    await at(20 * dayMs);
    expect((await handled(world, own, mention(world, "again", { root }).event)).status).toMatchObject({ triggered: 1 });
    const { sessions, prompts } = await world.work(subjectOf(root));
    expect([sessions.length, prompts.length]).toEqual([2, 4]);
    expect(prompts.map(({ spec }) => spec.text.includes("Write a test."))).toEqual([true, false, false, true]);
    await at(0);
  });

  it("without a session gives its last 10 messages, those of bots, too", async () => {
    const root = world.slack.say({ channel, user: "U0BEN", text: "m0" });
    for (let index = 1; index <= 13; index += 1)
      say(root, `m${index}`, index % 2 === 0 ? { bot_id: "B2" } : { user: "U0BEN" });
    await handled(world, integration, mention(world, "fix it", { root }).event);
    expect(shownOf(await lastPrompt(root))).toEqual(["m4", "m5", "m6", "m7", "m8", "m9", "m10", "m11", "m12", "m13"]);
  });

  it("gives a follow-up the newest 10 of 14 messages since the last prompt, and none of bots", async () => {
    const { event, root } = mention(world, "fix it");
    await handled(world, integration, event);
    for (let index = 1; index <= 14; index += 1)
      say(root, `p${index}`, index % 5 === 0 ? { bot_id: "B2" } : { user: "U0BEN" });
    await handled(world, integration, mention(world, "go on", { root }).event);
    expect(shownOf(await lastPrompt(root))).toEqual(
      ["p2", "p3", "p4", "p6", "p7", "p8", "p9", "p11", "p12", "p13", "p14"].slice(1),
    );
    say(root, "later");
    await handled(world, integration, mention(world, "and on", { root }).event);
    expect(shownOf(await lastPrompt(root))).toEqual(["later"]);
  });

  it("whose messages cannot be read goes on without them, and shows them with the next prompt", async () => {
    const { event, root } = mention(world, "fix it");
    await handled(world, integration, event);
    say(root, "missed");
    world.slack.fault = (method) => (method === "conversations.replies" ? "refuse" : undefined);
    await handled(world, integration, mention(world, "go on", { root }).event);
    world.slack.fault = undefined;
    expect(shownOf(await lastPrompt(root))).toEqual([]);
    await handled(world, integration, mention(world, "and on", { root }).event);
    expect(shownOf(await lastPrompt(root))[0]).toBe("missed");
  });

  it("whose later mention is handled first does not go back", async () => {
    const { event, root } = mention(world, "fix it");
    await handled(world, integration, event);
    const [early, late] = [mention(world, "early", { root }), mention(world, "late", { root })];
    await handled(world, integration, late.event);
    await handled(world, integration, early.event);
    expect((await world.conversation(subjectOf(root)))?.status?.lastPromptTS).toBe(late.ts);
  });

  it("stays with its session where the rules change", async () => {
    const own = await makeSlackIntegration(world, {
      repositories: [],
      rules: [{ keyword: "login", target: { repositoryRef: { name: "api" } } }],
    });
    const { event, root } = mention(world, "fix the login");
    await handled(world, own, event);
    const key = { namespace: world.namespace, name: own.metadata.name ?? "" };
    const rules = [{ keyword: "login", target: { repositoryRef: { name: "web" } } }];
    await world.known(await world.client.patch(Integration, key, { spec: { slack: { rules } } }));
    expect((await handled(world, own, mention(world, "the login again", { root }).event)).status).toMatchObject({
      steered: 1,
    });
    expect((await world.work(subjectOf(root))).sessions).toHaveLength(1);
  });

  it("whose session is gone gets a new one, and says so", async () => {
    const { event, root } = mention(world, "fix it");
    await handled(world, integration, event);
    const [old] = (await world.work(subjectOf(root))).sessions;
    await world.client.delete(Session, { namespace: world.namespace, name: old?.metadata.name ?? "" });
    await until("it is gone", async () => (await world.work(subjectOf(root))).sessions.length === 0);
    await at(0);
    expect((await handled(world, integration, mention(world, "go on", { root }).event)).status).toMatchObject({
      triggered: 1,
    });
    await until("it says so", () =>
      saidIn(world, root).some(({ text }) => text.startsWith("The earlier session is gone")),
    );
  });
});

it("an event that comes again after it was handled changes nothing", async () => {
  const { event, root } = mention(world, "fix it");
  const body = envelope(world, event);
  await sendSlack(world, integration, body);
  await world.settled(integration);
  const headers = { "x-slack-retry-num": "3" };
  expect(await sendSlack(world, integration, body, { headers })).toMatchObject({ body: { triggered: 0, skipped: 1 } });
  await handled(world, integration, mention(world, "go on", { root }).event);
  const { sessions, prompts } = await world.work(subjectOf(root));
  expect([sessions.length, prompts.length]).toEqual([1, 2]);
});

it("a direct message needs no mention, nor does a reply in its thread", async () => {
  const place = "D0ANN";
  const ts = world.slack.say({ channel: place, user: ann, text: "fix it" });
  const message = { type: "message", channel_type: "im", channel: place, user: ann, text: "fix it", ts };
  expect((await handled(world, integration, message)).status).toMatchObject({ triggered: 1 });
  const reply = world.slack.say({ channel: place, user: ann, text: "and more", thread_ts: ts });
  const event = await handled(world, integration, { ...message, text: "and more", ts: reply, thread_ts: ts });
  expect(event.status).toMatchObject({ steered: 1 });
});

describe("a question", () => {
  let asking: Integration;
  beforeAll(async () => {
    asking = await makeSlackIntegration(world, { repositories: [{ name: "api" }, { name: "web" }] });
  });

  async function ask() {
    const { event, root } = mention(world, "fix it");
    const settled = await handled(world, asking, event);
    expect(conditionOf(settled, "Succeeded")).toMatchObject({ reason: "TargetUnknown" });
    await until("it asks", () => saidIn(world, root).length === 1);
    return { root, question: saidIn(world, root)[0]!, settled };
  }

  it("is answered by the person who asked, and the request is worked on with the thread before it", async () => {
    const { root, question } = await ask();
    const event = await chosen(world, asking, question, "repository/web");
    expect(event.status).toMatchObject({ triggered: 1 });
    const { sessions, prompts } = await world.work(subjectOf(root));
    expect(sessions.map(({ spec }) => spec.target)).toEqual([{ repositoryRefs: [{ name: "web" }] }]);
    expect(prompts.map(({ spec }) => spec.text.includes(`(${ann})]: fix it`))).toEqual([true]);
    await until("the list is replaced", () => saidIn(world, root).some(({ text }) => text === "Chosen: web"));
    await answerPrompt(world, prompts[0]!, "Done it.");
    await until("the answer is shown", () => saidIn(world, root).some(({ text }) => text.startsWith("Done it.")));
  });

  it("whose answer starts a session gives that the instructions of the Integration, once", async () => {
    const repositories = [{ name: "api" }, { name: "web" }];
    const own = await makeSlackIntegration(world, { repositories }, { sessionInstructions: "Write a test." });
    const { event, root } = mention(world, "fix it");
    await handled(world, own, event);
    await until("it asks", () => saidIn(world, root).length === 1);
    await chosen(world, own, saidIn(world, root)[0]!, "repository/web");
    expect((await lastPrompt(root)).split("Write a test.")).toHaveLength(2);
  });

  it("is answered once by a double click", async () => {
    const { root, question } = await ask();
    const events = await Promise.all([1, 2].map(() => chosen(world, asking, question, "repository/api")));
    expect(events.map(({ status }) => status?.triggered).sort()).toEqual([0, 1]);
    expect((await world.work(subjectOf(root))).prompts).toHaveLength(1);
  });

  it("stays open where another person clicks, who is the only one to read why", async () => {
    const { root, question } = await ask();
    world.slack.ephemeral.splice(0);
    const event = await chosen(world, asking, question, "repository/api", { user: "U0BEN" });
    expect(conditionOf(event, "Succeeded")).toMatchObject({ status: "False", reason: "ChoiceRefused" });
    await until("the note is shown", () => world.slack.ephemeral.length === 1);
    expect(world.slack.ephemeral[0]).toMatchObject({ user: "U0BEN", text: "Only the person who asked can choose." });
    expect((await chosen(world, asking, question, "repository/api")).status).toMatchObject({ triggered: 1 });
    expect((await world.work(subjectOf(root))).sessions).toHaveLength(1);
  });

  it("tells another person who clicks once Slack takes the note", async () => {
    const { question } = await ask();
    world.slack.ephemeral.splice(0);
    world.slack.tiers.spend("chat.postEphemeral");
    await chosen(world, asking, question, "repository/api", { user: "U0BEN" });
    await until("the note is shown", () => world.slack.ephemeral.length > 0);
    expect(world.slack.ephemeral).toEqual([expect.objectContaining({ user: "U0BEN" })]);
  });

  it.each([
    { name: "59:59", ageMs: 3_599_000, triggered: 1 },
    { name: "60:01", ageMs: 3_601_000, triggered: 0 },
  ])("after $name minutes starts $triggered sessions", async ({ ageMs, triggered }) => {
    const { root, question, settled } = await ask();
    const actions = question.blocks?.find((block) => block.type === "actions");
    const { metadata, spec } = settled;
    const deliveryID = randomUUID();
    await world.client.create(IntegrationEvent, {
      metadata: {
        name: `click-${deliveryID}`,
        namespace: world.namespace,
        ownerReferences: metadata.ownerReferences ?? [],
      },
      spec: {
        integrationRef: spec.integrationRef,
        deliveryID,
        receivedTime: new Date(Date.parse(spec.receivedTime) + ageMs).toISOString(),
        slack: {
          action: "Chosen",
          channelID: channel,
          threadTS: root,
          actor: { id: ann },
          choice: { postID: actions?.block_id ?? "", value: "repository/api", messageTS: question.ts },
        },
      },
    });
    const event = await world.settledEvent(asking, deliveryID);
    expect(event.status).toMatchObject({ triggered });
    if (triggered === 1) return;
    await until("the list says so", () =>
      saidIn(world, root).some(({ text }) => text === "This list is too old. Send the request again."),
    );
    expect((await world.work(subjectOf(root))).sessions).toEqual([]);
  });

  it("starts nothing for a person who was taken from the lists meanwhile, who reads so", async () => {
    const repositories = [{ name: "api" }, { name: "web" }];
    const own = await makeSlackIntegration(world, { repositories });
    const { event, root } = mention(world, "fix it");
    await handled(world, own, event);
    await until("it asks", () => saidIn(world, root).length === 1);
    const key = { namespace: world.namespace, name: own.metadata.name ?? "" };
    await world.known(await world.client.patch(Integration, key, { spec: { access: { users: ["U0BEN"] } } }));
    const refused = await chosen(world, own, saidIn(world, root)[0]!, "repository/api");
    expect(conditionOf(refused, "Succeeded")).toMatchObject({ status: "False", reason: "AccessDenied" });
    expect((await world.work(subjectOf(root))).sessions).toEqual([]);
  });

  it("of a second request of the thread goes to the session that the first has started, and says so", async () => {
    const { root, question } = await ask();
    await handled(world, asking, mention(world, "and that", { root }).event);
    await until("it asks again", () => saidIn(world, root).length === 2);
    const [, second] = saidIn(world, root);
    await chosen(world, asking, question, "repository/api");
    expect((await chosen(world, asking, second!, "repository/web")).status).toMatchObject({ steered: 1 });
    const text = "This thread has a session on api already, so the request goes there and not to web.";
    await until("the second list says so", () => saidIn(world, root).some((message) => message.text === text));
    expect((await world.work(subjectOf(root))).sessions).toHaveLength(1);
  });

  it("has a button for each of two rules that match, one of which is for an Environment", async () => {
    await world.client.create(Environment, {
      metadata: { namespace: world.namespace, name: "site" },
      spec: { repositoryRefs: [{ name: "web" }] },
    });
    const rules = [
      { keyword: "login", target: { repositoryRef: { name: "api" } } },
      { keyword: "page", target: { environmentRef: { name: "site" } } },
    ];
    const own = await makeSlackIntegration(world, { repositories: [{ name: "web" }], rules });
    const { event, root } = mention(world, "the login page fails");
    await handled(world, own, event);
    await until("it asks", () => saidIn(world, root).length === 1);
    const [question] = saidIn(world, root);
    const actions = question?.blocks?.find((block) => block.type === "actions");
    expect(actions?.elements.map((element) => (element.type === "button" ? element.text.text : ""))).toEqual([
      "api",
      "site (environment)",
      "",
    ]);
    expect((await pressed(world, own, question!, { value: "environment/site" })).status).toMatchObject({
      triggered: 1,
    });
    const { sessions } = await world.work(subjectOf(root));
    expect(sessions.map(({ spec }) => spec.target)).toEqual([{ environmentRef: { name: "site" } }]);
  });

  it("lists 101 targets, the last of which can be chosen", async () => {
    const names = Array.from({ length: 101 }, (_, index) => `one-of-${index}`);
    await Promise.all(names.map((name) => world.makeRepository(name, `https://github.com/acme/${name}.git`)));
    const rules = names.slice(50).map((name) => ({ keyword: `unheard ${name}`, target: { repositoryRef: { name } } }));
    const own = await makeSlackIntegration(world, {
      repositories: names.slice(0, 50).map((name) => ({ name })),
      rules,
    });
    const { event, root } = mention(world, "fix it");
    await handled(world, own, event);
    await until("it asks", () => saidIn(world, root).length === 1);
    expect((await chosen(world, own, saidIn(world, root)[0]!, "repository/one-of-100")).status).toMatchObject({
      triggered: 1,
    });
  });

  it("stays open where what was chosen is gone", async () => {
    await world.makeRepository("old", "https://github.com/acme/old.git");
    const own = await makeSlackIntegration(world, { repositories: [{ name: "api" }, { name: "old" }] });
    const { event, root } = mention(world, "fix it");
    await handled(world, own, event);
    await until("it asks", () => saidIn(world, root).length === 1);
    const [question] = saidIn(world, root);
    await world.client.delete(Repository, { namespace: world.namespace, name: "old" });
    expect((await chosen(world, own, question!, "repository/old")).status).toMatchObject({ triggered: 0 });
    expect((await chosen(world, own, question!, "repository/other")).status).toMatchObject({ triggered: 0 });
    expect((await chosen(world, own, question!, "repository/api")).status).toMatchObject({ triggered: 1 });
  });
});

describe("an answer", () => {
  let place = 0;
  /** A prompt of a thread in a channel of its own, once its start is shown. */
  async function prompted() {
    place += 1;
    const own = `C0A${place}`;
    const { event, root } = mention(world, "fix it", { channel: own });
    await handled(world, integration, event);
    await until("the start is shown", () => saidIn(world, root, own).length === 1);
    const [prompt] = await promptsOf(world, subjectOf(root, own));
    return { root, own, prompt: prompt! };
  }
  const answers = (root: string, own: string): string[] =>
    saidIn(world, root, own).flatMap(({ blocks = [] }) =>
      blocks.map((block) => (block.type === "section" ? (block.text?.text ?? "") : "")),
    );

  it("as long as a prompt keeps is shown whole, in sections that Slack takes", async () => {
    const { root, own, prompt } = await prompted();
    await answerPrompt(world, prompt, "<".repeat(4_096));
    const shown = (): string => answers(root, own).slice(1).join("");
    await until("all is shown", () => shown().endsWith("`fix-login`"));
    expect(shown().split("&lt;")).toHaveLength(4_097);
    expect(world.slack.refused).toEqual([]);
  });

  it.each(["lose", "drop", "html", "redirect", "error", "throttle"] satisfies SlackFault[])(
    "to which Slack answers so: %s, is shown once",
    async (fault) => {
      const { root, own, prompt } = await prompted();
      const faulty = ["chat.postMessage"];
      world.slack.fault = (method, where) =>
        where === own && method === faulty[0] && faulty.shift() ? fault : undefined;
      await answerPrompt(world, prompt, "Done it.");
      const post = async () =>
        (await world.conversation(subjectOf(root, own)))?.status?.posts?.find(({ kind }) => kind === "Answer");
      await until("it was tried", async () => ((await post())?.tries ?? 0) > 0);
      await at(minuteMs);
      await until("it is shown", async () => (await post())?.progress === "Sent");
      await at(0);
      expect(answers(root, own).filter((text) => text.startsWith("Done it."))).toHaveLength(1);
      expect(world.slack.leaked).toEqual([]);
    },
  );

  it("that Slack refuses is given up, and the conversation says so", async () => {
    const { root, own, prompt } = await prompted();
    world.slack.fault = (method, where) => (where === own && method === "chat.postMessage" ? "refuse" : undefined);
    await answerPrompt(world, prompt, "Done it.");
    await until("it says so", async () => {
      const conversation = await world.conversation(subjectOf(root, own));
      return conditionOf(conversation, "Ready")?.reason === "PostsGivenUp";
    });
  });
});

it.each(["tokens_revoked", "app_uninstalled"])(
  "%s shows in the Integration, with what to do, and others go on",
  async (type) => {
    const own = await makeSlackIntegration(world);
    const { token } = world.slack;
    world.slack.token = "another";
    const eventId = `Ev${randomUUID()}`;
    await sendSlack(world, own, envelope(world, { type, tokens: { bot: [world.slack.botUser] } }, eventId));
    const settled = await world.settledEvent(own, eventId);
    world.slack.token = token;
    expect(conditionOf(settled, "Succeeded")).toMatchObject({ status: "False", reason: "CredentialsRefused" });
    await until("the integration says so", async () => {
      const found = await world.client.get(Integration, { namespace: world.namespace, name: own.metadata.name ?? "" });
      const ready = conditionOf(found, "Ready");
      return ready?.reason === "CredentialsRefused" && ready.message.includes("Put valid credentials into the Secret");
    });
    expect((await handled(world, integration, mention(world, "fix it").event)).status).toMatchObject({ triggered: 1 });
  },
);
