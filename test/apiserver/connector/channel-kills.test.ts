import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import { type Automation, type Integration, Prompt } from "../../../src/api/v1alpha1/index.ts";
import { until } from "../../support/kube.ts";
import { runsOf } from "./automation-world.ts";
import { begin, makeChannelAutomation, nextChannel, said, threadOf } from "./channel-world.ts";
import { killAfterEachStep } from "./killing.ts";
import { ann, handled, makeSlackIntegration, saidIn, watchSteps } from "./slack-world.ts";
import { answerPrompt, World } from "./world.ts";

let world: World;
let integration: Integration;

beforeAll(async () => {
  world = await World.make();
  integration = await makeSlackIntegration(world, {}, { access: { users: [ann] } });
});
afterAll(() => world.close());
afterEach(() => {
  world.slack.after = undefined;
  expect(world.slack.refused).toEqual([]);
});

/** From a message in a channel to the answer of its Run, and from a reply to the answer of that. */
async function converse(): Promise<object> {
  const channel = nextChannel();
  const wanting = { channels: [channel] };
  const automations = [
    await makeChannelAutomation(world, integration, wanting),
    await makeChannelAutomation(world, integration, wanting),
  ];
  const { event, root } = said(world, channel, "deploy failed");
  const first = await handled(world, integration, event);
  for (const automation of automations) await answerFirst(automation);
  await answered(automations, channel, root, 1);
  const second = await handled(world, integration, said(world, channel, "and now?", { root }).event);
  const prompts = await follow();
  for (const prompt of prompts) await answerPrompt(world, prompt, "Second.");
  await answered(automations, channel, root, 2);
  const runs = await Promise.all(automations.map((automation) => runsOf(world, automation)));
  const texts = saidIn(world, root, channel).map(({ text }) => text.split("\n")[0] ?? "");
  const { triggered } = first.status ?? {};
  const { steered } = second.status ?? {};
  return { runs: runs.map(({ length }) => length), prompts: prompts.length, triggered, steered, said: texts.sort() };

  async function answerFirst(automation: Automation): Promise<void> {
    const [run] = await runsOf(world, automation);
    const { prompt } = await begin(world, run!, automation);
    await answerPrompt(world, prompt, "First.");
  }

  /** Prompts that the reply became. */
  async function follow(): Promise<Prompt[]> {
    const { items } = await world.client.list<Prompt>(Prompt, { namespace: world.namespace });
    const names = await Promise.all(automations.map((one) => threadOf(world, one, channel, root)));
    return items.filter(({ spec }) => spec.text === "and now?" && sessionsOf(names).includes(spec.sessionRef.name));
  }
}

const sessionsOf = (threads: readonly (Awaited<ReturnType<typeof threadOf>> | undefined)[]): string[] =>
  threads.flatMap((thread) => thread?.status?.sessionName ?? []);

async function answered(automations: Automation[], channel: string, root: string, count: number): Promise<void> {
  await until("all is posted", async () => {
    const threads = await Promise.all(automations.map((one) => threadOf(world, one, channel, root)));
    const posts = threads.map((thread) => thread?.status?.posts ?? []);
    return posts.every((all) => all.length === count && all.every(({ progress }) => progress === "Sent"));
  });
}

it("a connector that is killed after any step leaves one Run, one follow-up and one answer to each", async () => {
  const want = {
    runs: [1, 1],
    prompts: 2,
    triggered: 2,
    steered: 2,
    said: ["First.", "First.", "Second.", "Second."],
  };
  const leader = await killAfterEachStep(world, {
    watch: (connector, onStep) => watchSteps(world, connector, onStep),
    act: converse,
    want,
    least: 15,
  });
  leader.kill();
  await world.forgetLeader();
}, 900_000);
