import { randomUUID } from "node:crypto";

import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import {
  type Autofix,
  type Integration,
  Integration as IntegrationKind,
  type IntegrationEvent,
  Repository,
  Session,
} from "../../../src/api/v1alpha1/index.ts";
import { keyOf } from "../../../src/lib/resource.ts";
import { until } from "../../support/kube.ts";
import { ann, handled, makeGitHubIntegration, saidAt, sendGitHub } from "./github-world.ts";
import {
  commentOn,
  endPrompt,
  feedbackPrompts,
  newBranch,
  type Opened,
  openedByPerson,
  openPull,
  reasonOf,
  review,
  type Review,
  statusOf,
} from "./pull-request-world.ts";
import { World } from "./world.ts";

const bot = { id: 41, login: "reviewer[bot]" };
const app = { id: 9, login: "helper[bot]" };
let world: World;
let integration: Integration;

beforeAll(async () => {
  world = await World.make();
  integration = await makeGitHubIntegration(world, { pullRequests: "Ready", autofix: { mode: "Enabled" } });
  world.github.permissions.set("eve", "read");
  await world.startConnector();
});
afterAll(() => world.close());
afterEach(async () => {
  world.github.fault = undefined;
  expect(world.github.refused).toEqual([]);
  await set({ mode: "Enabled" });
  await setOfRepository(null);
});

/** Gives the Integration these settings of autofix alone. */
async function set(autofix: Autofix): Promise<void> {
  const cleared = { reviews: null, pullRequestComments: null, ownReviews: null };
  const lists = { allowedReviewBots: null, attempts: null, maxAttemptsPer24Hours: null };
  const spec = { github: { autofix: { ...cleared, ...lists, ...autofix } } };
  await world.known(await world.client.patch(IntegrationKind, keyOf(integration), { spec }));
}

async function setOfRepository(autofix: Autofix | null): Promise<void> {
  const key = { namespace: world.namespace, name: "api" };
  await world.known(await world.client.patch(Repository, key, { spec: { autofix } }));
}

const send = (what: { event: object; type: string }): Promise<IntegrationEvent> => handled(world, integration, what);

describe("a review", () => {
  it("with a body and 3 line comments is one prompt, whose answer is one comment", async () => {
    const opened = await openPull(world);
    const sent = review(world, opened.number, { body: "Please fix.", comments: ["Too long.", "Why?", "Typo"] });
    const event = await send(sent);
    expect(reasonOf(event)).toBe("FeedbackQueued");
    const [prompt, ...others] = await feedbackPrompts(world, opened.session);
    expect(others).toEqual([]);
    expect(event.status).toMatchObject({
      steered: 1,
      triggered: 0,
      skipped: 0,
      promptName: prompt!.metadata.name,
      sessionName: opened.session.metadata.name,
    });
    expect(prompt!.spec.origin).toBe("PullRequestFeedback");
    expect(prompt!.metadata.annotations).toEqual({ "runwright.dev/requested-by": "github:4711:ann" });
    const [, json = ""] = /<feedback>\n([\s\S]*)\n<\/feedback>$/.exec(prompt!.spec.text) ?? [];
    expect(JSON.parse(json)).toMatchObject({
      kind: "review",
      body: "Please fix.",
      comments: ["Too long.", "Why?", "Typo"].map((body) => ({ body, line: 12, diffHunkTruncated: false })),
    });
    await endPrompt(world, prompt!, { branch: opened.branch, summary: "Shortened it." });
    await until("it is answered", () => saidAt(world, opened.number).length > 0);
    await until("that is noted", async () => (await statusOf(world, opened)).feedback?.[0]?.progress === "Sent");
    expect(saidAt(world, opened.number).map(({ body }) => body.split("\n")[0])).toEqual(["Shortened it."]);
    expect(await statusOf(world, opened)).toMatchObject({
      prompted: 1,
      feedback: [{ kind: "Review", objectID: sent.id }],
    });
  });

  it("that is delivered twice, also under another id, is one prompt", async () => {
    const opened = await openPull(world);
    const sent = review(world, opened.number, { body: "Please fix." });
    const deliveryId = randomUUID();
    await sendGitHub(world, integration, sent.event, { type: sent.type, deliveryId });
    await world.settledEvent(integration, deliveryId);
    const again = await sendGitHub(world, integration, sent.event, { type: sent.type, deliveryId });
    expect(again.body).toMatchObject({ triggered: 0, skipped: 1 });
    const other = await send(sent);
    expect(reasonOf(other)).toBe("NothingToDo");
    expect(other.status).toMatchObject({ steered: 0, skipped: 1 });
    expect(await feedbackPrompts(world, opened.session)).toHaveLength(1);
    expect((await statusOf(world, opened)).prompted).toBe(1);
  });

  it("without a body and with one line comment is one prompt", async () => {
    const opened = await openPull(world);
    expect(reasonOf(await send(review(world, opened.number, { comments: ["Typo"] })))).toBe("FeedbackQueued");
  });

  it("of 100 comments is one prompt; of 101 none, and nothing of it is sent", async () => {
    const opened = await openPull(world);
    const comments = (count: number): string[] => Array.from({ length: count }, (_, index) => `Typo ${index}`);
    expect(reasonOf(await send(review(world, opened.number, { comments: comments(101) })))).toBe("FeedbackTooLarge");
    expect(await feedbackPrompts(world, opened.session)).toEqual([]);
    expect((await statusOf(world, opened)).prompted).toBeUndefined();
    const sent = review(world, opened.number, { comments: comments(100), hunk: `@@ -1 +1 @@\n${"x".repeat(4_000)}` });
    expect(reasonOf(await send(sent))).toBe("FeedbackQueued");
    const [prompt] = await feedbackPrompts(world, opened.session);
    expect(Buffer.byteLength(prompt!.spec.text)).toBeLessThanOrEqual(200_000);
    expect(prompt!.spec.text.match(/"diffHunkTruncated": true/g)).toHaveLength(100);
  });

  it("of 150,000 characters is one prompt; of 33,400 brackets, each of six bytes, none", async () => {
    const opened = await openPull(world);
    expect(reasonOf(await send(review(world, opened.number, { body: "<".repeat(33_400) })))).toBe("FeedbackTooLarge");
    expect(reasonOf(await send(review(world, opened.number, { body: "x".repeat(150_000) })))).toBe("FeedbackQueued");
    const [prompt] = await feedbackPrompts(world, opened.session);
    expect(prompt!.spec.text).toContain("x".repeat(150_000));
  });
});

it("three comments within a minute are three prompts, and a comment that was edited meanwhile is read as it is", async () => {
  const opened = await openPull(world);
  const sent = ["One.", "Two.", "Three."].map((body) => commentOn(world, opened.number, body));
  world.github.comments.find(({ id }) => id === sent[2]!.id)!.body = "Four.";
  for (const one of sent) expect(reasonOf(await send(one))).toBe("FeedbackQueued");
  const texts = (await feedbackPrompts(world, opened.session)).map(
    ({ spec }) => /"body": "(\w+\.)"/.exec(spec.text)?.[1],
  );
  expect(texts.sort()).toEqual(["Four.", "One.", "Two."]);
  expect((await statusOf(world, opened)).prompted).toBe(3);
});

type Sent = (opened: Opened) => { event: object; type: string };
const reviewed =
  (what: Review): Sent =>
  ({ number }) =>
    review(world, number, what);
const commented =
  (body: string, user = ann): Sent =>
  ({ number }) =>
    commentOn(world, number, body, user);

describe("feedback that is left alone", () => {
  it.each<[reason: string, name: string, Sent, Autofix?]>([
    ["AutofixDisabled", "where autofix is off", commented("Fix it."), { mode: "Disabled" }],
    [
      "ReviewsDisabled",
      "a review where they are off",
      reviewed({ body: "x" }),
      { mode: "Enabled", reviews: "Disabled" },
    ],
    [
      "PullRequestCommentsDisabled",
      "a comment where they are off",
      commented("Fix it."),
      { mode: "Enabled", pullRequestComments: "Disabled" },
    ],
    ["AuthorLacksWritePermission", "of a person who may read", commented("Fix it.", { id: 12, login: "eve" })],
    ["BotNotAllowed", "a review of a bot", reviewed({ body: "x", user: bot })],
    [
      "OwnReviewsDisabled",
      "our review",
      reviewed({ body: "x", user: app }),
      { mode: "Enabled", ownReviews: "Disabled" },
    ],
    ["ExplicitMention", "a review that mentions the App", reviewed({ body: "@helper fix it" })],
    ["ExplicitMention", "a review with a comment that does", reviewed({ comments: ["@helper fix it"] })],
    ["ReviewStateNotActionable", "an approval", reviewed({ body: "x", state: "APPROVED" })],
    ["ReviewStateNotActionable", "a dismissed review", reviewed({ body: "x", state: "DISMISSED" })],
    ["EmptyFeedback", "a review without text", reviewed({})],
  ])("%s: %s", async (reason, _name, sent, autofix) => {
    const opened = await openPull(world);
    if (autofix) await set(autofix);
    const event = await send(sent(opened));
    expect(reasonOf(event)).toBe(reason);
    expect(event.status).toMatchObject({ triggered: 0, steered: 0, skipped: 1 });
    expect(await feedbackPrompts(world, opened.session)).toEqual([]);
    const status = await statusOf(world, opened);
    expect(status.prompted).toBeUndefined();
    expect(status).toMatchObject({ skipped: 1, skips: [{ reason, eventUID: event.metadata.uid }] });
  });

  it.each(["merged", "closed"])("PullRequestNotOpen: on one that was %s", async (how) => {
    const opened = await openPull(world);
    Object.assign(opened.pull, { state: "closed", ...(how === "merged" && { merged_at: "2026-05-05T10:00:00Z" }) });
    expect(reasonOf(await send(commentOn(world, opened.number, "Fix it.")))).toBe("PullRequestNotOpen");
  });

  it("UntrackedPullRequest: on a person's pull request, and where the session is gone", async () => {
    const theirs = openedByPerson(world, newBranch(world));
    expect(reasonOf(await send(commentOn(world, theirs.number, "Fix it.")))).toBe("UntrackedPullRequest");
    const opened = await openPull(world);
    await world.client.delete(Session, keyOf(opened.session));
    expect(reasonOf(await send(commentOn(world, opened.number, "Fix it.")))).toBe("UntrackedPullRequest");
  });

  it("FeedbackNotFound: a comment that was deleted before it was read", async () => {
    const opened = await openPull(world);
    const sent = commentOn(world, opened.number, "Fix it.");
    world.github.comments.splice(
      world.github.comments.findIndex(({ id }) => id === sent.id),
      1,
    );
    expect(reasonOf(await send(sent))).toBe("FeedbackNotFound");
  });

  it.each<[string, (opened: Opened) => { event: object; type: string }]>([
    [
      "a comment of a bot",
      ({ number }) => {
        const { event, type } = commentOn(world, number, "Fix it.", bot);
        return { event: { ...event, comment: { id: 1, body: "x", user: { ...bot, type: "Bot" } } }, type };
      },
    ],
    [
      "a comment that was edited",
      ({ number }) => {
        const { event, type } = commentOn(world, number, "Fix it.");
        return { event: { ...event, action: "edited" }, type };
      },
    ],
    [
      "a review that was dismissed",
      ({ number }) => {
        const { event, type } = review(world, number, { body: "x" });
        return { event: { ...event, action: "dismissed" }, type };
      },
    ],
  ])("%s is not stored", async (_name, sent) => {
    const { event, type } = sent(await openPull(world));
    expect(await sendGitHub(world, integration, event, { type })).toMatchObject({
      status: 200,
      body: { triggered: 0 },
    });
  });
});

describe("settings", () => {
  it("of the Repository come before the Integration's, field by field", async () => {
    const opened = await openPull(world);
    await setOfRepository({ pullRequestComments: "Disabled" });
    expect(reasonOf(await send(commentOn(world, opened.number, "Fix it.")))).toBe("PullRequestCommentsDisabled");
    expect(reasonOf(await send(review(world, opened.number, { body: "x" })))).toBe("FeedbackQueued");
  });

  it("are not known once the Repository is deleted, and nothing is worked in", async () => {
    const opened = await openPull(world);
    const key = { namespace: world.namespace, name: "api" };
    const { spec } = await world.client.get(Repository, key);
    await world.client.delete(Repository, key);
    try {
      await until("the connector knows", async () => {
        const event = await send(commentOn(world, opened.number, "Fix it."));
        return reasonOf(event) === "RepositoryNotFound";
      });
    } finally {
      await world.makeRepository("api", spec.url);
      await world.known(await world.client.get(Repository, key));
    }
  });

  it("count no more for a Repository that was taken from the Integration, until it is there again", async () => {
    const opened = await openPull(world);
    const serve = async (name: string): Promise<void> => {
      const spec = { github: { repositories: [{ name }] } };
      await world.known(await world.client.patch(IntegrationKind, keyOf(integration), { spec }));
    };
    await setOfRepository({ mode: "Enabled" });
    await serve("web");
    try {
      expect(reasonOf(await send(commentOn(world, opened.number, "Fix it.")))).toBe("RepositoryNotServed");
      expect(await feedbackPrompts(world, opened.session)).toEqual([]);
    } finally {
      await serve("api");
    }
    expect(reasonOf(await send(commentOn(world, opened.number, "Fix it now.")))).toBe("FeedbackQueued");
  });

  it("allow bots by their login, and our own reviews by default", async () => {
    const opened = await openPull(world);
    await set({ mode: "Enabled", allowedReviewBots: ["Reviewer"] });
    expect(reasonOf(await send(review(world, opened.number, { body: "x", user: bot })))).toBe("FeedbackQueued");
    expect(reasonOf(await send(review(world, opened.number, { body: "x", user: app })))).toBe("FeedbackQueued");
  });
});
