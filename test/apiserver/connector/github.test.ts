import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import type { Integration } from "../../../src/api/v1alpha1/index.ts";
import { until } from "../../support/kube.ts";
import { conditionOf } from "../../support/tenant-world.ts";
import { ann, comment, handled, makeGitHubIntegration, openIssue, saidAt, subjectOf } from "./github-world.ts";
import { answerPrompt, type Connector, promptsOf, World } from "./world.ts";

let world: World;
let connector: Connector;
let integration: Integration;

beforeAll(async () => {
  world = await World.make();
  connector = await world.startConnector();
  integration = await makeGitHubIntegration(world, {}, { sessionInstructions: "Write a test." });
});
afterAll(() => world.close());
afterEach(() => {
  world.github.fault = undefined;
  expect(world.github.refused.splice(0)).toEqual([]);
});

it("a mention at an issue starts a session on the right repository, and its answer comes back once", async () => {
  const number = openIssue(world);
  comment(world, number, "It is urgent.", { user: { id: 12, login: "ben" } });
  const asked = comment(world, number, "@helper fix the ```login```");
  const before = connector.proxy.seen.length;
  const settled = await handled(world, integration, asked);
  const [prompt] = await promptsOf(world, subjectOf(number));
  expect(settled.status).toMatchObject({ triggered: 1, steered: 0, skipped: 0, promptName: prompt?.metadata.name });
  // The Integration that has just become ready is written for itself, too.
  const writes = connector.proxy.seen
    .slice(before)
    .filter(({ isWrite, path }) => isWrite && !/\/(leases|integrations)\b/.test(path));
  // With the ingress's create and the Integration's status at most 10.
  expect(writes.length).toBeLessThanOrEqual(8);
  const { sessions } = await world.work(subjectOf(number));
  expect(sessions).toMatchObject([
    {
      metadata: { annotations: { "runwright.dev/requested-by": `github:${world.github.installation.id}:ann` } },
      spec: {
        title: `acme/api#${number} The login fails`,
        serviceAccountName: "runner",
        target: { repositoryRefs: [{ name: "api" }] },
      },
    },
  ]);
  const text = prompt?.spec.text ?? "";
  expect(text).toContain(`acme/api#${number} https://github.com/acme/api/issues/${number}\nTitle: The login fails`);
  expect(text).toContain("Earlier comments:\n```\n[ben]: It is urgent.\n```");
  expect(text).toMatch(/Request:\n````\n\S+\n\[ann\]: @helper fix the ```login```\n````/);
  expect(text.endsWith("# Instructions\n\nWrite a test.")).toBe(true);
  await until("the start is shown", () =>
    world.github.comments.some(({ id, reactions }) => id === asked.id && reactions.includes("eyes")),
  );
  expect(saidAt(world, number)).toEqual([]);
  await answerPrompt(world, prompt!, "The login works again, @ann. See `@ann`.");
  await until("the answer is shown", () => saidAt(world, number).length > 0);
  const [answer] = saidAt(world, number);
  expect(answer?.body).toContain("The login works again, @\u200Bann. See `@\u200Bann`.\n\nBranch: `fix-login`");
  // A token is for one repository, with what comments need.
  expect(world.github.tokens.at(-1)).toMatchObject({
    repositories: ["api"],
    permissions: { issues: "write", pull_requests: "write", metadata: "read" },
  });
});

it("a mention on a line of a pull request has the hunk, and the branches", async () => {
  const number = openIssue(world, { head: "feature", base: "main", headRepository: "eve/api" });
  const hunk = `@@ -1,9 +1,9 @@\n${"+old\n".repeat(1_000)}+the line`;
  const review = { path: "src/login.ts", line: null, original_line: 7, diff_hunk: hunk };
  await handled(world, integration, comment(world, number, "@helper why?", { review }));
  const [prompt] = await promptsOf(world, subjectOf(number));
  const text = prompt?.spec.text ?? "";
  expect(text).toContain("Branches: feature of the fork eve/api into main");
  expect(text).toContain("src/login.ts, line 7\n(the hunk is shortened: its header and its end)\n@@ -1,9 +1,9 @@\n");
  expect(text).toContain("+the line\n");
  await answerPrompt(world, prompt!, "Because.");
  await until("the answer is shown at the pull request", () => saidAt(world, number).length === 1);
});

it("each request is a session of its own", async () => {
  const number = openIssue(world);
  await handled(world, integration, comment(world, number, "@helper fix it"));
  const second = await handled(world, integration, comment(world, number, "@helper and that"));
  expect(second.status).toMatchObject({ triggered: 1 });
  const { sessions, prompts } = await world.work(subjectOf(number));
  expect([sessions.length, prompts.length]).toEqual([2, 2]);
});

describe("who may", () => {
  const logins = { ann, Ben: { id: 13, login: "Ben" } };

  it.each([
    { name: "a writer", user: "ann", permission: "write", list: undefined, isAllowed: true },
    { name: "an admin", user: "ann", permission: "admin", list: undefined, isAllowed: true },
    { name: "a reader", user: "ann", permission: "read", list: undefined, isAllowed: false },
    { name: "a stranger", user: "ann", permission: "none", list: undefined, isAllowed: false },
    { name: "an admin, where the list is empty", user: "ann", permission: "admin", list: [], isAllowed: false },
    { name: "a reader on the list", user: "Ben", permission: "read", list: ["ben"], isAllowed: true },
    { name: "a writer who is not on the list", user: "ann", permission: "write", list: ["ben"], isAllowed: false },
  ] as const)("$name: $isAllowed", async ({ user, permission, list, isAllowed }) => {
    world.github.permissions.set(user, permission);
    const own = await makeGitHubIntegration(world, list ? { allowedUsers: list } : {});
    const number = openIssue(world);
    const settled = await handled(world, own, comment(world, number, "@helper fix it", { user: logins[user] }));
    world.github.permissions.set("ann", "write");
    expect(settled.status?.triggered).toBe(isAllowed ? 1 : 0);
    if (isAllowed) return;
    expect(conditionOf(settled, "Succeeded")).toMatchObject({ status: "False", reason: "AccessDenied" });
    // Who may not ask could otherwise have us write comments.
    expect((await world.conversation(subjectOf(number)))?.status?.posts).toBeUndefined();
    expect(saidAt(world, number)).toEqual([]);
  });

  it("a comment that is of another person than the event says starts nothing", async () => {
    const number = openIssue(world);
    const { id, event, type } = comment(world, number, "@helper fix it", { user: { id: 66, login: "eve" } });
    const forged = { ...event, comment: { id, body: "@helper fix it", user: { ...ann, type: "User" } } };
    const settled = await handled(world, integration, { event: forged, type });
    expect(conditionOf(settled, "Succeeded")).toMatchObject({ status: "False", reason: "AccessDenied" });
  });

  it("no person may for a repository that the Integration does not name", async () => {
    const own = await makeGitHubIntegration(world, { repositories: [] });
    const settled = await handled(world, own, comment(world, openIssue(world), "@helper fix it"));
    expect(conditionOf(settled, "Succeeded")).toMatchObject({ status: "False", reason: "TargetUnknown" });
  });

  it("a comment that was deleted meanwhile starts nothing", async () => {
    const asked = comment(world, openIssue(world), "@helper fix it");
    world.github.comments.splice(
      world.github.comments.findIndex(({ id }) => id === asked.id),
      1,
    );
    const settled = await handled(world, integration, asked);
    expect(settled.status).toMatchObject({ triggered: 0, skipped: 1 });
  });
});
