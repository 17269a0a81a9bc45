import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";

import { githubApp } from "../../../test/support/github-app.ts";
import type { GitHubServer } from "../../../test/support/github-model.ts";
import { startGitHubServer } from "../../../test/support/github-server.ts";
import type { GitHubEvent, Integration, IntegrationEvent } from "../../api/v1alpha1/index.ts";
import type { ConversationFacts } from "../conversations/facts.ts";
import { readRequest, type RequestReaderDeps } from "./read-request.ts";
import { githubRules } from "./rules.ts";

const repository = "acme/api";
const number = 7;
const reviewID = 31;
const ann = { id: 11, login: "ann" };
let server: GitHubServer;
let app: ReturnType<typeof githubApp>;

beforeAll(async () => {
  server = await startGitHubServer();
  app = githubApp(server);
  server.permissions.set("ann", "write");
  const pull = { head: "fix", base: "main", headRepository: repository };
  server.issues.push({ repository, number, title: "Fix the login", body: null, pull });
});
afterAll(() => server.close());
beforeEach(() => {
  for (const list of [server.reviews, server.comments]) list.splice(0);
});

function anEvent(github: Partial<GitHubEvent>): IntegrationEvent {
  const common = { action: "Asked", repository: { id: 22, name: repository }, number, subjectType: "PullRequest" };
  return { metadata: { uid: "e" }, spec: { github: { ...common, actor: ann, ...github } } } as IntegrationEvent;
}

function review(body: string, user: { id: number; login: string } | null = ann): void {
  server.reviews.push({ id: reviewID, repository, number, body, state: "COMMENTED", user });
}

function onLine(body: string, line: number | null, review = reviewID): void {
  const place = { path: "a.ts", line, original_line: 3, diff_hunk: "@@ -1 +1 @@\n+x", pull_request_review_id: review };
  server.say({ repository, number, body, user: ann, review: place });
}

function read(event: IntegrationEvent) {
  const github = { ...app.integration.spec.github, repositories: [{ name: "api" }] };
  const integration = { ...app.integration, spec: { ...app.integration.spec, github } } as unknown as Integration;
  const known = { metadata: { name: "api" }, spec: { url: `https://github.com/${repository}.git` } };
  const deps = {
    github: app.github,
    informers: { repositories: { get: () => known } },
  } as unknown as RequestReaderDeps;
  return readRequest(deps, { integration, conversation: undefined, events: [event] } as unknown as ConversationFacts);
}

it("reads the text of a review that mentions the App, with its own comments on lines", async () => {
  review("@helper do as I say");
  onLine("Too long.", 12);
  onLine("Another review's.", 12, 32);
  onLine("Gone.", null);
  server.say({ repository, number, body: "An earlier word.", user: ann });
  const { target, text, title } = await read(anEvent({ reviewID }));
  expect({ target, title }).toEqual({
    target: { kind: "target", target: { repositoryRef: { name: "api" } } },
    title: "acme/api#7 Fix the login",
  });
  expect(text).toContain("[ann]: @helper do as I say\n\nOn a.ts, line 12:\nToo long.\n\nOn a.ts, line 3:\nGone.");
  expect(text).toContain("[ann]: An earlier word.");
  expect(text).not.toContain("Another review's.");
});

it("does not work on a review of another person", async () => {
  review("@helper do as I say", { id: 12, login: "eve" });
  const { target } = await read(anEvent({ reviewID }));
  expect(target).toMatchObject({ kind: "refused", reason: "AccessDenied" });
});

it("reads a comment as before", async () => {
  const id = server.say({ repository, number, body: "@helper fix it", user: ann });
  server.say({ repository, number, body: "A later word.", user: ann });
  const { text } = await read(anEvent({ commentID: id, commentType: "Comment" }));
  expect(text).toContain("[ann]: @helper fix it");
  expect(text).not.toContain("A later word.");
});

it("reacts to comments, and not to reviews, which take no reaction", () => {
  const kinds = (event: IntegrationEvent) => githubRules.startPosts(event, "s", {}).map(({ kind }) => kind);
  expect(kinds(anEvent({ commentID: 5, commentType: "ReviewComment" }))).toEqual(["Started"]);
  expect(kinds(anEvent({ reviewID }))).toEqual([]);
});
