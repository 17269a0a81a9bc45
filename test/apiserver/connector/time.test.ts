import { randomUUID } from "node:crypto";

import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";

import type { Integration, IntegrationEvent } from "../../../src/api/v1alpha1/index.ts";
import { until } from "../../support/kube.ts";
import type { LinearIssue } from "../../support/linear-server.ts";
import { answerPrompt, type Connector, promptsOf, World } from "./world.ts";

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;
let world: World;
let integration: Integration;
let issue: LinearIssue;
let agentSession: string;
let connector: Connector | undefined;

beforeAll(async () => {
  world = await World.make();
  integration = await world.makeIntegration();
});
afterAll(() => world.close());
beforeEach(() => {
  issue = world.makeIssue();
  agentSession = randomUUID();
});

/** From now on a connector is at work whose clock is ahead by so much. */
async function at(aheadMs: number): Promise<void> {
  await connector?.close();
  world.connectors.splice(0);
  connector = await world.startConnector({ aheadMs });
}

async function ask(what: string, text = "fix it"): Promise<IntegrationEvent> {
  const deliveryId = randomUUID();
  expect(await world.send(integration, world.event(what, issue, agentSession, { text }), { deliveryId })).toMatchObject(
    { status: 200 },
  );
  return world.settledEvent(integration, deliveryId);
}

it("follow-ups on days 0, 6 and 8 are of two sessions: the 7 days do not slide", async () => {
  await at(0);
  await ask("created");
  await at(6 * dayMs);
  expect((await ask("prompted")).status).toMatchObject({ steered: 1 });
  await at(8 * dayMs);
  expect((await ask("prompted")).status).toMatchObject({ triggered: 1 });
  expect((await world.work(issue)).sessions).toHaveLength(2);
});

it.each([
  { name: "a minute before", aheadMs: 7 * dayMs - minuteMs, sessions: 1 },
  { name: "a minute after", aheadMs: 7 * dayMs + minuteMs, sessions: 2 },
])("a follow-up $name the end of 7 days is of session $sessions", async ({ aheadMs, sessions }) => {
  await at(0);
  await ask("created");
  await at(aheadMs);
  await ask("prompted");
  expect((await world.work(issue)).sessions).toHaveLength(sessions);
});

it("people read every 20 minutes that the agent is at work, until the answer is there", async () => {
  await at(0);
  await ask("created");
  const [prompt] = await promptsOf(world, issue);
  const signs = () => world.linear.activitiesAt(agentSession).filter(({ isEphemeral }) => isEphemeral);
  for (const [count, aheadMs] of [
    [1, 21 * minuteMs],
    [2, 42 * minuteMs],
  ] as const) {
    await at(aheadMs);
    await until(`sign ${count} is shown`, () => signs().length === count);
  }
  await answerPrompt(world, prompt!, "Done it.");
  await until("the answer is shown", () => world.linear.activitiesAt(agentSession).at(-1)?.type === "response");
  await at(63 * minuteMs);
  await ask("prompted");
  expect(signs()).toHaveLength(2);
});

it("an answer is shown once Linear is back after 10 minutes", async () => {
  await at(0);
  await ask("created");
  const [prompt] = await promptsOf(world, issue);
  const post = async () => (await world.conversation(issue))?.status?.posts?.find(({ kind }) => kind === "Answer");
  await world.linear.goAway();
  await answerPrompt(world, prompt!, "Done it.");
  for (const [tries, aheadMs] of [
    [1, 0],
    [2, minuteMs],
    [3, 3 * minuteMs],
    [4, 10 * minuteMs],
  ] as const) {
    await at(aheadMs);
    await until(`try ${tries} has failed`, async () => (await post())?.tries === tries);
    expect(await post()).toMatchObject({ progress: "Waiting" });
  }
  await world.linear.comeBack();
  await at(26 * minuteMs);
  await until("it is shown", async () => (await post())?.progress === "Sent");
  expect(world.linear.activitiesAt(agentSession).map(({ type }) => type)).toEqual(["thought", "response"]);
});

it("an answer that fails a fifth time is given up, and the conversation says so", async () => {
  await at(0);
  await ask("created");
  const [prompt] = await promptsOf(world, issue);
  const conversation = () => world.conversation(issue);
  await world.linear.goAway();
  await answerPrompt(world, prompt!, "Done it.");
  for (const [tries, aheadMs] of [
    [1, 0],
    [2, minuteMs],
    [3, 3 * minuteMs],
    [4, 10 * minuteMs],
    [5, 26 * minuteMs],
  ] as const) {
    await at(aheadMs);
    await until(
      `try ${tries} has failed`,
      async () => (await conversation())?.status?.posts?.find(({ kind }) => kind === "Answer")?.tries === tries,
    );
  }
  await world.linear.comeBack();
  const status = (await conversation())?.status;
  expect(status?.posts?.find(({ kind }) => kind === "Answer")).toMatchObject({ progress: "GivenUp" });
  expect(status?.conditions).toMatchObject([{ type: "Ready", status: "False", reason: "PostsGivenUp" }]);
});

it("a request waits for a Linear that is away, and ends after an hour", async () => {
  await at(0);
  await world.linear.goAway();
  const deliveryId = randomUUID();
  await world.send(integration, world.event("created", issue, agentSession, { text: "fix it" }), { deliveryId });
  await at(10 * minuteMs);
  await world.linear.comeBack();
  expect((await world.settledEvent(integration, deliveryId)).status).toMatchObject({ triggered: 1 });
  issue = world.makeIssue();
  await world.linear.goAway();
  const second = randomUUID();
  await world.send(integration, world.event("created", issue, agentSession, { text: "fix it" }), {
    deliveryId: second,
  });
  await at(61 * minuteMs);
  const event = await world.settledEvent(integration, second);
  expect(event.status?.conditions).toMatchObject([{ status: "False", reason: "ProviderUnavailable" }]);
  await world.linear.comeBack();
});

it("events go 7 days after they were handled, conversations with their sessions 30 days after the last prompt", async () => {
  await at(0);
  await ask("created");
  const name = (await world.conversation(issue))?.metadata.name;
  await at(6 * dayMs);
  const mine = async () => (await world.events(integration)).filter(({ spec }) => spec.linear?.issueID === issue.id);
  expect(await mine()).toHaveLength(1);
  const [prompt] = await promptsOf(world, issue);
  await answerPrompt(world, prompt!, "Done it.");
  await until(
    "all is posted",
    async () =>
      (await world.conversation(issue))?.status?.posts?.every(
        ({ progress }) => progress === "Sent" || progress === "Dropped",
      ) ?? false,
  );
  await at(8 * dayMs);
  await until("the event is gone", async () => (await mine()).length === 0);
  expect((await world.conversation(issue))?.metadata.name).toBe(name);
  await at(31 * dayMs);
  await until("the conversation is gone", async () => (await world.conversation(issue)) === undefined);
});
