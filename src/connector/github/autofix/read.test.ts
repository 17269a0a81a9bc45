import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { githubApp } from "../../../../test/support/github-app.ts";
import type { GitHubServer } from "../../../../test/support/github-model.ts";
import { startGitHubServer } from "../../../../test/support/github-server.ts";
import { type FeedbackId, readFeedback, type ReadFeedback } from "./read.ts";

const repository = "acme/api";
const number = 7;
const reviewId = 31;
const ann = { id: 11, login: "ann" };
let server: GitHubServer;
let app: ReturnType<typeof githubApp>;

beforeAll(async () => {
  server = await startGitHubServer();
  app = githubApp(server);
});
afterAll(() => server.close());
afterEach(() => {
  server.fault = undefined;
  for (const list of [server.issues, server.reviews, server.comments, server.calls]) list.splice(0);
  server.pulls.splice(0);
});

function openPull(state: "open" | "closed" = "open"): void {
  const pull = { repository, headRepository: repository, head: "fix", base: "main", title: "Fix", body: null };
  server.pulls.push({ ...pull, number, user: ann, state, draft: false });
}

function review(change: Partial<GitHubServer["reviews"][number]> = {}): void {
  server.reviews.push({
    id: reviewId,
    repository,
    number,
    body: "See below.",
    state: "COMMENTED",
    user: ann,
    ...change,
  });
}

/** A comment on a line, of this review. */
function onLine(body: string, place: object = {}, review = reviewId): void {
  const where = {
    path: "a.ts",
    line: 3,
    original_line: 3,
    diff_hunk: "@@ -1 +1 @@\n+x",
    pull_request_review_id: review,
  };
  server.say({ repository, number, body, user: ann, review: { ...where, ...place } });
}

function read(change: Partial<FeedbackId> = {}): Promise<ReadFeedback> {
  return readFeedback(app, app.integration, { kind: "Review", repository, number, id: reviewId, ...change });
}

async function bodies(): Promise<string[]> {
  const feedback = await read();
  return typeof feedback === "string" ? [feedback] : feedback.comments.map(({ body }) => body);
}

it("reads a review with its own comments, in the order in which they were made", async () => {
  openPull();
  review();
  onLine("one", { start_line: 2 });
  onLine("another review's", {}, 32);
  onLine("two", { line: null, in_reply_to_id: 5 });
  const url = `https://github.com/${repository}/pull/${number}#pullrequestreview-${reviewId}`;
  expect(await read()).toEqual({
    kind: "Review",
    url,
    body: "See below.",
    state: "COMMENTED",
    author: { login: "ann", type: "User" },
    isPullRequestOpen: true,
    comments: [
      expect.objectContaining({ body: "one", path: "a.ts", line: 3, startLine: 2, originalLine: 3, isReply: false }),
      expect.objectContaining({ body: "two", line: null, startLine: null, originalLine: 3, isReply: true }),
    ],
  });
});

it("reads a comment on the pull request, and no others", async () => {
  openPull("closed");
  onLine("on a line");
  const id = server.say({ repository, number, body: "Please fix.", user: { id: 9, login: "helper[bot]" } });
  expect(await read({ kind: "Comment", id })).toMatchObject({
    kind: "Comment",
    body: "Please fix.",
    author: { login: "helper[bot]", type: "Bot" },
    isPullRequestOpen: false,
    comments: [],
  });
  expect(server.calls.filter((route) => route.includes("/pulls/7/comments"))).toEqual([]);
});

it("reads the review of an account that is gone", async () => {
  openPull();
  review({ user: null });
  expect(await read()).toMatchObject({ author: null });
});

it.each([
  { own: 19, others: 0, want: 19 },
  { own: 20, others: 0, want: 20 },
  { own: 100, others: 0, want: 100 },
  { own: 2, others: 150, want: 2 },
])("finds all of $own comments beside $others of other reviews", async ({ own, others, want }) => {
  openPull();
  review();
  for (let index = 0; index < own; index += 1) onLine(`own ${index}`);
  for (let index = 0; index < others; index += 1) onLine("other", {}, 32);
  const found = await bodies();
  expect(found).toHaveLength(want);
  expect(found[0]).toBe("own 0");
});

it("knows of more than 100 comments without reading all", async () => {
  openPull();
  review();
  for (let index = 0; index < 400; index += 1) onLine("own");
  expect((await bodies()).length).toBeGreaterThan(100);
  expect(server.calls.filter((route) => route.includes("/comments"))).toHaveLength(6);
});

const callsOf = (part: string): string[] => server.calls.filter((route) => route.includes(part));

describe.each([
  { newer: 197, ofReview: 0 },
  { newer: 198, ofReview: 1 },
  { newer: 199, ofReview: 1 },
  { newer: 1_200, ofReview: 1 },
])("below $newer newer comments of other reviews", ({ newer, ofReview }) => {
  it("the review's comments are found with their lines", async () => {
    openPull();
    review();
    onLine("one", { line: 7 });
    onLine("two", { line: null });
    for (let index = 0; index < newer; index += 1) onLine("other", {}, 32);
    expect(await read()).toMatchObject({
      comments: [
        { body: "one", line: 7, diffHunk: "@@ -1 +1 @@\n+x" },
        { body: "two", line: null },
      ],
    });
    expect(callsOf("/reviews/31/comments")).toHaveLength(ofReview);
  });
});

it.each([
  { own: 0, want: 0, oneByOne: 0 },
  { own: 100, want: 100, oneByOne: 100 },
  { own: 101, want: 101, oneByOne: 0 },
])("finds $own comments below 200 newer ones of other reviews", async ({ own, want, oneByOne }) => {
  openPull();
  review();
  for (let index = 0; index < own; index += 1) onLine(`own ${index}`);
  for (let index = 0; index < 200; index += 1) onLine("other", {}, 32);
  const found = await bodies();
  expect(found).toHaveLength(want);
  expect(callsOf("/pulls/comments/")).toHaveLength(oneByOne);
});

it("leaves out a comment that is deleted while they are read one by one", async () => {
  openPull();
  review();
  onLine("one");
  onLine("two");
  for (let index = 0; index < 200; index += 1) onLine("other", {}, 32);
  server.fault = (route) =>
    callsOf("/pulls/comments/").length === 1 && route.includes("/pulls/comments/") ? "refuse" : undefined;
  expect(await bodies()).toEqual(["two"]);
});

it("finds the review's comments beside 19 that are as long as they can be", async () => {
  openPull();
  review();
  onLine("own");
  for (let index = 0; index < 19; index += 1) onLine("ü".repeat(65_536), {}, 32);
  expect(await bodies()).toEqual(["own"]);
});

it("reads no more of a review whose comments are longer than a prompt may be", async () => {
  openPull();
  review();
  for (let index = 0; index < 60; index += 1) onLine("x".repeat(10_000));
  expect((await bodies()).join("").length).toBeGreaterThan(200_000);
  expect(callsOf("/comments")).toHaveLength(2);
});

it("knows that one text alone is longer than what is read", async () => {
  openPull();
  review();
  onLine("own", { diff_hunk: "x".repeat(2_097_152) });
  expect(await bodies()).toEqual(["tooLong"]);
});

it("says that what was deleted is gone, and throws where GitHub is away", async () => {
  openPull();
  expect(await read()).toBe("gone");
  expect(await read({ kind: "Comment", id: 1 })).toBe("gone");
  review();
  for (const part of ["/pulls/7", "/reviews/31", "/pulls/7/comments"]) {
    server.fault = (route) => (route.split("?")[0]?.endsWith(part) ? "error" : undefined);
    await expect(read()).rejects.toMatchObject({ failure: "unavailable" });
  }
});
