import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import type { Integration } from "../../../src/api/v1alpha1/index.ts";
import { homeOpened, readHome, untilShown } from "./home-world.ts";
import { killAfterEachStep } from "./killing.ts";
import { channel, makeSlackIntegration, sendSlack, watchSteps } from "./slack-world.ts";
import { World } from "./world.ts";

let world: World;
let integration: Integration;
let people = 0;

beforeAll(async () => {
  world = await World.make();
  integration = await makeSlackIntegration(world, {}, { access: { channels: [channel] } });
});
afterAll(() => world.close());
afterEach(() => {
  world.slack.after = undefined;
  expect(world.slack.refused).toEqual([]);
});

/** A person who has a view already opens the Home tab, which Slack tells twice; gives what Slack replaced and shows. */
async function open(): Promise<object> {
  people += 1;
  const person = `U0K${people}`;
  const view = JSON.stringify({ type: "home", blocks: [] });
  world.slack.homes.publish(new URLSearchParams({ user_id: person, view }));
  const body = homeOpened(world, person);
  await Promise.all([1, 2].map(() => sendSlack(world, integration, body)));
  await untilShown(world, integration);
  const replaced = world.slack.homes.published.filter((one) => one === person).length - 1;
  return { replaced, isShown: readHome(world, person).includes("How to ask") };
}

it("a connector that is killed after any step leaves one view, and no event", async () => {
  const leader = await killAfterEachStep(world, {
    watch: (connector, onStep) => watchSteps(world, connector, onStep),
    act: open,
    want: { replaced: 1, isShown: true },
    // The connection, too, is noted, before the view is shown or after.
    least: 1,
  });
  leader.kill();
  await world.forgetLeader();
});

it("while no connector is at work, a person who opens it again and again is one event", async () => {
  const body = homeOpened(world, "U0AGAIN");
  const answers = await Promise.all([1, 2, 3].map(() => sendSlack(world, integration, body)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await world.events(integration)).toHaveLength(1);
  await world.startConnector();
  await untilShown(world, integration);
  expect(readHome(world, "U0AGAIN")).toContain("How to ask");
  expect(world.slack.homes.published.filter((one) => one === "U0AGAIN")).toHaveLength(1);
});
