import { afterAll, afterEach, beforeAll, expect, it } from "vitest";

import { Integration } from "../../../src/api/v1alpha1/index.ts";
import { keyOf } from "../../../src/lib/resource.ts";
import { runPlugin } from "../../support/cli.ts";
import { testCluster } from "../../support/cluster.ts";
import { until } from "../../support/kube.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { makeAutomation } from "./automation-world.ts";
import { makeGitHubIntegration } from "./github-world.ts";
import { World } from "./world.ts";

let world: World;
let integration: Integration;
let subscribed: string[];

beforeAll(async () => {
  world = await World.make();
  integration = await makeGitHubIntegration(world);
  subscribed = [...world.github.installation.events];
});
afterAll(() => world.close());
afterEach(async () => {
  world.github.installation.events = [...subscribed];
  await Promise.all(world.connectors.splice(0).map((connector) => connector.close()));
});

async function noted(): Promise<readonly string[] | undefined> {
  const { namespace, name = "" } = integration.metadata;
  return (await world.client.get(Integration, { namespace, name })).status?.github?.events;
}

const test = () => {
  const { name = "" } = integration.metadata;
  const to = ["--url", world.url, "--kubeconfig", testCluster().kubeconfig, "-n", world.namespace];
  return runPlugin(["integration", "test", name, ...to]);
};

it("the status says what the App is subscribed to, and a later connector what it is subscribed to then", async () => {
  await world.startConnector();
  await until("it is noted", async () => (await noted()) !== undefined);
  expect(await noted()).toEqual([...subscribed].sort());
  await world.connectors.splice(0)[0]?.close();
  world.github.installation.events = ["issues", "issue_comment", "issues"];
  await world.startConnector();
  await until("the change is noted", async () => (await noted())?.includes("issues") ?? false);
  expect(await noted()).toEqual(["issue_comment", "issues"]);
});

it("a test of the Integration names what an Automation needs, and notes at once that it was subscribed to", async () => {
  const { metadata } = await makeAutomation(world, integration, { events: ["WorkflowRunCompleted", "IssueOpened"] });
  world.github.installation.events = [...subscribed, "issues"];
  await world.startConnector();
  await until("it is noted", async () => (await noted())?.length === subscribed.length + 1);
  const refused = await test();
  expect(refused.status).toBe(1);
  expect(refused.err).toContain(
    `not subscribed to the events workflow_run, which Automation ${metadata.name ?? ""} needs`,
  );
  world.github.installation.events = [...subscribed, "issues", "workflow_run"];
  expect(await test()).toMatchObject({ status: 0 });
  await until("it is noted without a look", async () => (await noted())?.includes("workflow_run") ?? false);
});

it("the status says that autofix is on and no feedback can come, until it can", async () => {
  const own = await makeGitHubIntegration(world, { autofix: { mode: "Enabled" } });
  const silent = async (): Promise<string | undefined> =>
    conditionOf(await world.client.get(Integration, keyOf(own)), "AutofixSilent")?.reason;
  await until("nothing is watched", async () => (await silent()) === "PullRequestsNotWatched");
  await world.client.patch(Integration, keyOf(own), { spec: { github: { pullRequests: "Draft" } } });
  await world.startConnector();
  await until("the App lacks events", async () => (await silent()) === "EventsNotSubscribed");
  await world.connectors.splice(0)[0]?.close();
  world.github.installation.events = [...subscribed, "pull_request", "pull_request_review"];
  await world.startConnector();
  await until("feedback can come", async () => (await silent()) === undefined);
});
