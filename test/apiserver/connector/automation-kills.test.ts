import { afterAll, beforeAll, it } from "vitest";

import type { Automation, Integration } from "../../../src/api/v1alpha1/index.ts";
import { handledByAutomations, issueOpened, makeAutomation, runsOf } from "./automation-world.ts";
import { makeGitHubIntegration } from "./github-world.ts";
import { killAfterEachStep, watchGitHubSteps } from "./killing.ts";
import { World } from "./world.ts";

let world: World;
let integration: Integration;
let automations: Automation[];

beforeAll(async () => {
  world = await World.make();
  integration = await makeGitHubIntegration(world);
  automations = [await makeAutomation(world, integration), await makeAutomation(world, integration)];
});
afterAll(() => world.close());

/** From an event to what became of it: how many Runs it made, and what it says of them. */
async function fire(): Promise<object> {
  const before = await countRuns();
  const { status } = await handledByAutomations(world, integration, issueOpened(world));
  const { triggered, skipped } = status ?? {};
  return { runs: (await countRuns()) - before, triggered, skipped };
}

async function countRuns(): Promise<number> {
  const all = await Promise.all(automations.map((made) => runsOf(world, made)));
  return all.flat().length;
}

it("a connector that is killed after any step leaves one Run of each Automation, and says so", async () => {
  const want = { runs: 2, triggered: 2, skipped: 0 };
  const leader = await killAfterEachStep(world, { watch: watchGitHubSteps(world), act: fire, want, least: 2 });
  leader.kill();
  await world.forgetLeader();
});
