import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { Integration } from "../../../src/api/v1alpha1/index.ts";
import { Session } from "../../../src/api/v1alpha1/index.ts";
import { secrets } from "../../../src/kube/core-resources.ts";
import { type CliResult, runPlugin } from "../../support/cli.ts";
import { testCluster } from "../../support/cluster.ts";
import { makeGitHubIntegration } from "./github-world.ts";
import { makeSlackIntegration } from "./slack-world.ts";
import { World } from "./world.ts";

let world: World;
let integration: Integration;
let name: string;

beforeAll(async () => {
  world = await World.make();
  integration = await world.makeIntegration();
  name = integration.metadata.name ?? "";
});
afterAll(() => world.close());

const plugin = (...args: string[]): Promise<CliResult> =>
  runPlugin([...args, "--kubeconfig", testCluster().kubeconfig, "-n", world.namespace]);
const test = (integrationName = name, url = world.url): Promise<CliResult> =>
  plugin("integration", "test", integrationName, "--url", url);

describe("integrations", () => {
  it("says that nothing is known before the provider was called", async () => {
    const { status, out } = await plugin("integrations");
    expect(status).toBe(0);
    expect(out).toMatch(new RegExp(`${world.namespace} +${name} +Linear +Unknown`));
  });

  it("says so where there are none", async () => {
    const { status, out, err } = await runPlugin([
      "integrations",
      "--kubeconfig",
      testCluster().kubeconfig,
      "-n",
      world.keysNamespace,
    ]);
    expect([status, out, err]).toEqual([0, "", `No Integrations found in namespace ${world.keysNamespace}`]);
  });
});

describe("integration test", () => {
  it.each([
    { what: "an Integration that is not there", args: ["nothing", "--url", "http://127.0.0.1:1"], says: "there is no" },
    { what: "no URL", args: ["any"], says: "needs --url URL" },
    { what: "what is no URL", args: ["any", "--url", "hooks"], says: "needs --url URL" },
  ])("refuses $what", async ({ args, says }) => {
    const { status, err } = await plugin("integration", "test", ...args);
    expect(status).not.toBe(0);
    expect(err).toContain(says);
  });

  it("names an address that cannot be reached", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const { status, err } = await test(name, `http://127.0.0.1:${port}`);
    expect(status).toBe(1);
    expect(err).toContain(`http://127.0.0.1:${port}/integrations/${world.namespace}.${name}/linear cannot be reached`);
  });

  it("goes through ingress, connector and provider, and starts no session", async () => {
    await world.startConnector();
    const { status, out, err } = await test();
    expect([status, err]).toEqual([0, ""]);
    expect(out).toContain("The whole path works.");
    expect((await world.client.list(Session, { namespace: world.namespace })).items).toEqual([]);
    const listed = await plugin("integrations");
    expect(listed.out).toMatch(new RegExp(`${name} +Linear +Yes +\\S+ \\S+ ago`));
  });

  it("goes through them with Slack, too", async () => {
    const chat = await makeSlackIntegration(world);
    const { status, out, err } = await test(chat.metadata.name ?? "");
    expect([status, err]).toEqual([0, ""]);
    expect(out).toContain(`Slack answers for ${world.slack.team.name}`);
  });

  it("says where the credentials are of another workspace", async () => {
    const chat = await makeSlackIntegration(world, { teamID: "T0OTHER" });
    const { status, err } = await test(chat.metadata.name ?? "");
    expect(status).toBe(1);
    expect(err).toContain("the credentials are of T0ACME, and not of spec.slack.teamID");
  });

  it("goes through them with GitHub, too", async () => {
    const host = await makeGitHubIntegration(world);
    const { status, out, err } = await test(host.metadata.name ?? "");
    expect([status, err]).toEqual([0, ""]);
    expect(out).toContain("GitHub answers for acme");
  });

  it.each([
    {
      what: "is of another name",
      change: { slug: "other" },
      says: "the credentials are of helper, and not of spec.github.slug",
    },
    { what: "is not installed there", change: { installationID: 5 }, says: "the App is not installed there" },
  ])("says that GitHub's App $what", async ({ change, says }) => {
    const host = await makeGitHubIntegration(world, change);
    const { status, err } = await test(host.metadata.name ?? "");
    expect(status).toBe(1);
    expect(err).toContain(says);
  });

  it.each<{ what: string; installation?: object; github?: object; says: string }>([
    {
      what: "events of pull requests, which it is to open",
      github: { pullRequests: "Draft" },
      says: "not subscribed to the events pull_request and pull_request_review",
    },
    {
      what: "a permission",
      installation: { permissions: { issues: "read", pull_requests: "write" } },
      says: "no permission to write issues",
    },
    {
      what: "an event",
      installation: { events: ["issue_comment"] },
      says: "not subscribed to the events pull_request_review_comment",
    },
    {
      what: "its installation, for a while",
      installation: { suspended_at: "2026-01-01T00:00:00Z" },
      says: "suspended",
    },
  ])("says that GitHub's App lacks $what", async ({ installation = {}, github, says }) => {
    const { ...before } = world.github.installation;
    Object.assign(world.github.installation, installation);
    const host = await makeGitHubIntegration(world, github);
    const { status, err } = await test(host.metadata.name ?? "");
    Object.assign(world.github.installation, before);
    expect(status).toBe(1);
    expect(err).toContain(says);
  });

  it("says what to do where the ingress has another secret", async () => {
    const other = await world.makeIntegration();
    const otherName = other.metadata.name ?? "";
    const data = { "signing-secret": Buffer.from("planted-secret-of-later").toString("base64") };
    await world.client.patch(secrets, { namespace: world.namespace, name: `${otherName}-signing` }, { data });
    const { status, err } = await test(otherName);
    expect(status).toBe(1);
    expect(err).toContain("answered 401");
    expect(err).toContain("up to 60 seconds behind");
    expect(err).not.toContain("planted-secret-of-later");
  });
});
