import { randomUUID } from "node:crypto";

import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import type { Integration } from "../../../src/api/v1alpha1/index.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import {
  ann,
  comment,
  handled,
  makeGitHubIntegration,
  openIssue,
  saidAt,
  sendGitHub,
  subjectOf,
} from "./github-world.ts";
import { review } from "./pull-request-world.ts";
import { type Connector, World } from "./world.ts";

const hourMs = 3_600_000;
let world: World;
let integration: Integration;
let connector: Connector;

beforeAll(async () => {
  world = await World.make();
  connector = await world.startConnector();
  integration = await makeGitHubIntegration(world);
});
afterAll(() => world.close());
afterEach(() => {
  world.github.fault = undefined;
});

it("a mention in a comment on a pull request of a fork starts a session on the Repository's own branch", async () => {
  const number = openIssue(world, { head: "feature", base: "main", headRepository: "eve/api" });
  expect((await handled(world, integration, comment(world, number, "@helper fix this"))).status?.triggered).toBe(1);
  const [session] = (await world.work(subjectOf(number))).sessions;
  expect(session?.spec.target).toEqual({ repositoryRefs: [{ name: "api" }] });
});

it("a mention in the text of a review starts a session, without a reaction, which reviews cannot have", async () => {
  const number = openIssue(world, { head: "feature", base: "main", headRepository: "acme/api" });
  const body = "@helper work this in";
  const sent = review(world, number, { body, comments: ["Too long."] });
  const event = { ...sent.event, review: { id: sent.id, body, user: { ...ann, type: "User" } } };
  expect((await handled(world, integration, { event, type: sent.type })).status?.triggered).toBe(1);
  const { sessions, prompts } = await world.work(subjectOf(number));
  expect(sessions).toHaveLength(1);
  expect(prompts[0]?.spec.text).toContain("On src/login.ts, line 12:\nToo long.");
  const conversation = await world.conversation(subjectOf(number));
  expect(conversation?.status?.posts?.map(({ kind }) => kind)).toEqual(["Answer"]);
});

it("a name that is longer than the App's, and an address that ends in it, are no mention", async () => {
  for (const body of ["@helperbot fix", "@helper-two fix", "mail@helper fix"]) {
    const { event } = comment(world, openIssue(world), body);
    expect(await sendGitHub(world, integration, event)).toMatchObject({ status: 200, body: { triggered: 0 } });
  }
});

it("a person whose permission GitHub does not tell for an hour starts nothing", async () => {
  const number = openIssue(world);
  world.github.fault = (route) => (route.includes("/collaborators/") ? "drop" : undefined);
  const deliveryId = randomUUID();
  await sendGitHub(world, integration, comment(world, number, "@helper fix it").event, { deliveryId });
  await connector.close();
  world.connectors.splice(0);
  connector = await world.startConnector({ aheadMs: hourMs + 60_000 });
  const event = await world.settledEvent(integration, deliveryId);
  expect(conditionOf(event, "Succeeded")).toMatchObject({ status: "False", reason: "ProviderUnavailable" });
  expect((await world.work(subjectOf(number))).sessions).toEqual([]);
  expect(saidAt(world, number)).toEqual([]);
});
