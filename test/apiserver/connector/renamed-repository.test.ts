import { afterAll, beforeAll, expect, it } from "vitest";

import type { Integration } from "../../../src/api/v1alpha1/index.ts";
import { until } from "../../support/kube.ts";
import { handled, makeGitHubIntegration, saidAt } from "./github-world.ts";
import { changed, commentOn, endPrompt, feedbackPrompts, openPull, reasonOf, statusOf } from "./pull-request-world.ts";
import { World } from "./world.ts";

let world: World;
let integration: Integration;

beforeAll(async () => {
  world = await World.make();
  integration = await makeGitHubIntegration(world, { pullRequests: "Ready", autofix: { mode: "Enabled" } });
  await world.startConnector();
});
afterAll(() => world.close());

const newName = "acme/shop";

/** GitHub knows the repository by its new name alone. */
function rename(): void {
  const { pulls, issues, comments, reviews } = world.github;
  for (const one of [...pulls, ...issues, ...comments, ...reviews]) one.repository = newName;
  for (const pull of pulls) pull.headRepository = newName;
}

function renamed<T extends { event: object }>(sent: T): T {
  return { ...sent, event: { ...sent.event, repository: { id: 22, full_name: "Acme/Shop" } } };
}

it("a pull request of a repository that was renamed keeps its state, its feedback and its answers", async () => {
  const opened = await openPull(world);
  rename();
  const sent = commentOn(world, opened.number, "Fix it.");
  world.github.comments.find(({ id }) => id === sent.id)!.repository = newName;
  expect(reasonOf(await handled(world, integration, renamed(sent)))).toBe("FeedbackQueued");
  expect((await statusOf(world, opened)).repository).toBe(newName);
  const [prompt] = await feedbackPrompts(world, opened.session);
  await endPrompt(world, prompt!, { branch: opened.branch, summary: "Fixed." });
  await until("it is answered", () => saidAt(world, opened.number).length === 1);
  expect(saidAt(world, opened.number)[0]?.repository).toBe(newName);
  Object.assign(opened.pull, { state: "closed", updated_at: "2036-05-05T10:00:00Z" });
  const change = renamed(changed(world, opened.number));
  expect(reasonOf(await handled(world, integration, change))).toBe("PullRequestUpdated");
  expect((await statusOf(world, opened)).githubState).toBe("Closed");
});
