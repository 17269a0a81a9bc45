import { randomUUID } from "node:crypto";

import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import type { Integration } from "../../../src/api/v1alpha1/index.ts";
import { until } from "../../support/kube.ts";
import { killAfterEachStep } from "./killing.ts";
import {
  chosen,
  envelope,
  handled,
  makeSlackIntegration,
  mention,
  messageId,
  saidIn,
  sendSlack,
  subjectOf,
  watchSteps,
} from "./slack-world.ts";
import { answerPrompt, promptsOf, World } from "./world.ts";

let world: World;
let integration: Integration;
let asking: Integration;
/** Of two replicas of the ingress. */
let urls: string[];
let places = 0;

beforeAll(async () => {
  world = await World.make();
  integration = await makeSlackIntegration(world);
  await world.makeRepository("web", "https://github.com/acme/web.git");
  asking = await makeSlackIntegration(world, { repositories: [{ name: "api" }, { name: "web" }] });
  urls = [world.url, await world.startIngress()];
});
afterAll(() => world.close());
afterEach(() => {
  world.slack.after = undefined;
  expect(world.slack.refused).toEqual([]);
});

/** A channel of its own, since Slack takes one message a second in each. */
function nextChannel(): string {
  places += 1;
  return `C0K${places}`;
}

interface Result {
  sessions: number;
  prompts: number;
  said: string[];
}

/** From a mention to its answer. */
async function converse(): Promise<Result> {
  const place = nextChannel();
  const { event, root } = mention(world, "fix it", { channel: place });
  await handled(world, integration, event);
  return end(root, place, 3);
}

/** From a mention by a question, a choice and a second click to the answer. */
async function converseByChoice(): Promise<Result> {
  const place = nextChannel();
  const { event, root } = mention(world, "fix it", { channel: place });
  await handled(world, asking, event);
  await until("it asks", () => saidIn(world, root, place).length === 1);
  const [question] = saidIn(world, root, place);
  await Promise.all([1, 2].map(() => chosen(world, asking, question!, "repository/web")));
  return end(root, place, 5);
}

/** As {@link converse}, by an event that both replicas of the ingress get, each twice. */
async function converseByTwo(): Promise<Result> {
  const place = nextChannel();
  const { event, root } = mention(world, "fix it", { channel: place });
  // Like Slack, it sends again what was not taken in time.
  const send = (url: string): Promise<void> =>
    until("it is taken", async () => {
      const answer = await sendSlack(world, integration, envelope(world, event, `Ev${randomUUID()}`), { url });
      return answer.status === 200;
    });
  await Promise.all([...urls, ...urls].map(send));
  await world.settledEvent(integration, messageId(event));
  return end(root, place, 3);
}

/** From a mention and a follow-up that comes while the agent works to both answers, and to no reaction any more. */
async function converseOn(): Promise<Result> {
  const place = nextChannel();
  const { event, root } = mention(world, "fix it", { channel: place });
  await handled(world, integration, event);
  const second = mention(world, "and the logout", { channel: place, root });
  await handled(world, integration, second.event);
  const result = await end(root, place, 5);
  expect([...world.slack.reactions].filter((reaction) => reaction.startsWith(second.ts))).toEqual([]);
  return result;
}

async function end(root: string, place: string, posts: number): Promise<Result> {
  const subject = subjectOf(root, place);
  for (const prompt of await promptsOf(world, subject)) await answerPrompt(world, prompt, "Done it.");
  await until("all is posted", async () => {
    const all = (await world.conversation(subject))?.status?.posts ?? [];
    return all.length === posts && all.every(({ progress }) => progress === "Sent");
  });
  const { sessions, prompts } = await world.work(subject);
  const said = saidIn(world, root, place).map(({ text }) => text.split("\n")[0] ?? "");
  return { sessions: sessions.length, prompts: prompts.length, said: said.sort() };
}

it.each([
  { name: "a mention", act: converse, said: ["Done it.", "Working on repository api."], least: 14 },
  {
    name: "a mention that two ingresses get, with a second connector that stands by",
    act: converseByTwo,
    said: ["Done it.", "Working on repository api."],
    least: 14,
    hasStandby: true,
  },
  {
    name: "a follow-up",
    act: converseOn,
    said: ["Done it.", "Done it.", "Working on repository api."],
    prompts: 2,
    least: 24,
  },
  {
    name: "a choice",
    act: converseByChoice,
    said: ["Chosen: web", "Done it.", "Working on repository web."],
    least: 20,
  },
])(
  "$name: a connector that is killed after any step leaves one session, and each prompt and answer once",
  async ({ act, said, least, prompts = 1, hasStandby = false }) => {
    const want = { sessions: 1, prompts, said };
    const leader = await killAfterEachStep(world, {
      watch: (connector, onStep) => watchSteps(world, connector, onStep),
      act,
      want,
      least,
      hasStandby,
    });
    leader.kill();
    for (const one of world.connectors) if (hasStandby) one.kill();
    await world.forgetLeader();
  },
);
