import { randomUUID } from "node:crypto";

import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import type { Integration } from "../../../src/api/v1alpha1/index.ts";
import { until } from "../../support/kube.ts";
import { killAfterEachStep } from "./killing.ts";
import { answerPrompt, type Connector, promptsOf, World } from "./world.ts";

let world: World;
let integration: Integration;

beforeAll(async () => {
  world = await World.make();
  integration = await world.makeIntegration();
});
afterAll(() => world.close());
afterEach(() => {
  world.linear.after = undefined;
});

/**
 * Has `onStep` called after each step of the connector's: a write that the API server has carried out, or a call that Linear
 * has, of which the connector does not know yet.
 */
function watchSteps(connector: Connector, onStep: () => void): void {
  connector.proxy.decide(({ isWrite, path }) =>
    isWrite && !path.includes("/leases") ? { kind: "between", run: onStep } : undefined,
  );
  world.linear.after = (_operation, caller) => {
    if (caller === connector.name) onStep();
  };
}

/** From a mention to its answer; gives the activities that people see. */
async function converse(): Promise<{ sessions: number; prompts: number; shown: string[] }> {
  const issue = world.makeIssue();
  const agentSession = randomUUID();
  const deliveryId = randomUUID();
  const body = world.event("created", issue, agentSession, { text: "fix it" });
  expect(await world.send(integration, body, { deliveryId })).toMatchObject({ status: 200 });
  const [prompt] = await promptsOf(world, issue);
  await answerPrompt(world, prompt!, "Done it.");
  await world.settledEvent(integration, deliveryId);
  await until("all is posted", async () => {
    const posts = (await world.conversation(issue))?.status?.posts ?? [];
    return posts.length === 2 && posts.every(({ progress }) => progress === "Sent");
  });
  const { sessions, prompts } = await world.work(issue);
  const shown = world.linear.activitiesAt(agentSession).map(({ type }) => type);
  return { sessions: sessions.length, prompts: prompts.length, shown: shown.sort() };
}

const want = { sessions: 1, prompts: 1, shown: ["response", "thought"] };

it("a connector that is killed after any step leaves one session, one prompt and one answer", async () => {
  await killAfterEachStep(world, { watch: watchSteps, act: converse, want, least: 10 });
});

it("a replica that does not lead acknowledges what the leader leaves", async () => {
  const standing = await world.startConnector({ leads: false });
  for (const one of world.connectors) if (one !== standing) one.kill();
  const agentSession = randomUUID();
  await world.send(integration, world.event("created", world.makeIssue(), agentSession, { text: "fix it" }));
  await until("it is acknowledged", () => world.linear.activitiesAt(agentSession).length > 0);
  const denied = await world.makeIntegration({ access: { users: ["carl@example.com"] } });
  const other = randomUUID();
  await world.send(denied, world.event("created", world.makeIssue(), other, { text: "fix it" }));
  await until("it is refused", () => world.linear.activitiesAt(other).length > 0);
  expect(world.linear.activitiesAt(other).map(({ type }) => type)).toEqual(["error"]);
  expect(standing.proxy.seen.filter(({ isWrite }) => isWrite)).toEqual([]);
});
