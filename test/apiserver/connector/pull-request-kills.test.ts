import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import { until } from "../../support/kube.ts";
import { handled, makeGitHubIntegration, saidAt } from "./github-world.ts";
import { killAfterEachStep, watchGitHubSteps } from "./killing.ts";
import { change, endPrompt, feedbackPrompts, openPull, pullRequestsOf, pullsOf, review } from "./pull-request-world.ts";
import { World } from "./world.ts";

let world: World;

beforeAll(async () => {
  world = await World.make();
});
afterAll(() => world.close());
afterEach(() => {
  world.github.after = undefined;
  expect(world.github.refused).toEqual([]);
});

it("a connector that is killed after any step leaves one pull request, one prompt and one answer", async () => {
  const integration = await makeGitHubIntegration(world, { pullRequests: "Ready", autofix: { mode: "Enabled" } });
  const act = async (): Promise<object> => {
    const opened = await openPull(world);
    const { branch, session, number, pull } = opened;
    await handled(world, integration, review(world, number, { body: "Please fix." }));
    const [prompt] = await feedbackPrompts(world, session);
    await endPrompt(world, prompt!, { branch, summary: "Fixed." });
    await until("it is answered", async () => {
      return (await pullRequestsOf(world, branch))[0]?.status?.feedback?.[0]?.progress === "Sent";
    });
    await change(world, integration, pull, { state: "closed", updated_at: "2026-05-05T10:00:00Z" });
    const known = await pullRequestsOf(world, branch);
    return {
      pulls: pullsOf(world, branch).length,
      states: known.map(({ status }) => ({ state: status?.githubState, prompted: status?.prompted })),
      prompts: (await feedbackPrompts(world, session)).length,
      said: saidAt(world, number).map(({ body }) => body.split("\n")[0]),
    };
  };
  const want = { pulls: 1, states: [{ state: "Closed", prompted: 1 }], prompts: 1, said: ["Fixed."] };
  const watch = watchGitHubSteps(world);
  const leader = await killAfterEachStep(world, { watch, act, want, least: 10 });
  leader.kill();
  await world.forgetLeader();
});
