import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import type { Integration } from "../../../src/api/v1alpha1/index.ts";
import { until } from "../../support/kube.ts";
import { comment, handled, makeGitHubIntegration, openIssue, saidAt, subjectOf } from "./github-world.ts";
import { killAfterEachStep, watchGitHubSteps } from "./killing.ts";
import { answerPrompt, promptsOf, World } from "./world.ts";

let world: World;
let integration: Integration;

beforeAll(async () => {
  world = await World.make();
  integration = await makeGitHubIntegration(world);
});
afterAll(() => world.close());
afterEach(() => {
  world.github.after = undefined;
  expect(world.github.refused).toEqual([]);
});

/** From a mention to its answer. */
async function converse(): Promise<object> {
  const number = openIssue(world);
  const asked = comment(world, number, "@helper fix it");
  await handled(world, integration, asked);
  const [prompt] = await promptsOf(world, subjectOf(number));
  await answerPrompt(world, prompt!, "Done it.");
  await until("all is posted", async () => {
    const all = (await world.conversation(subjectOf(number)))?.status?.posts ?? [];
    return all.length === 2 && all.every(({ progress }) => progress === "Sent");
  });
  const { sessions, prompts } = await world.work(subjectOf(number));
  const { reactions } = world.github.comments.find(({ id }) => id === asked.id)!;
  const said = saidAt(world, number).map(({ body }) => body.split("\n")[0]);
  return { sessions: sessions.length, prompts: prompts.length, said, reactions };
}

it("a connector that is killed after any step leaves one session, one prompt and one answer", async () => {
  const want = { sessions: 1, prompts: 1, said: ["Done it."], reactions: ["eyes"] };
  const leader = await killAfterEachStep(world, { watch: watchGitHubSteps(world), act: converse, want, least: 9 });
  leader.kill();
  await world.forgetLeader();
});
