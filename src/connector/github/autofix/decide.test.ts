import { describe, expect, it } from "vitest";

import { decideFeedback, type FeedbackDecision, type FeedbackFacts } from "./decide.ts";
import { aLineComment, aReview } from "../../../../test/support/feedback.ts";
import type { Feedback } from "./feedback.ts";
import { effectiveAutofix } from "../../../domain/pull-requests/autofix-settings.ts";

const settings = effectiveAutofix([{ mode: "Enabled", allowedReviewBots: [" Reviewer[bot]"] }]);

const lineComment = aLineComment();
const review = aReview();

const aBot = (login: string): Pick<Feedback, "author"> => ({ author: { login, type: "Bot" } });

/** Facts of a review that is worked in. */
function facts(change: Partial<FeedbackFacts> = {}): FeedbackFacts {
  return {
    kind: "Review",
    isSettled: false,
    session: { hasPrompt: false },
    settings,
    isRepositoryThere: true,
    isRepositoryServed: true,
    slug: "helper",
    feedback: review,
    permission: "write",
    ...change,
  };
}

const reviewed = (change: Partial<Feedback>): FeedbackFacts => facts({ feedback: { ...review, ...change } });
const commented = (change: Partial<Feedback> = {}): FeedbackFacts =>
  facts({ kind: "Comment", feedback: { ...review, kind: "Comment", state: undefined, ...change } });
const set = (change: Partial<FeedbackFacts["settings"]>): FeedbackFacts =>
  facts({ settings: { ...settings, ...change } });

/** A decision in one word. */
function word(decision: FeedbackDecision): string {
  if (decision.kind === "skip" || decision.kind === "fail") return decision.reason;
  return decision.kind === "read" ? `read ${decision.what}` : decision.kind;
}

/** Rows of name, facts and the decision in one word. */
function cases(
  rows: readonly [string, FeedbackFacts, string][],
): { name: string; given: FeedbackFacts; want: string }[] {
  return rows.map(([name, given, want]) => ({ name, given, want }));
}

describe("feedback", () => {
  it.each(
    cases([
      ["that was settled before", facts({ isSettled: true }), "settled"],
      ["on a pull request of no session", facts({ session: undefined }), "UntrackedPullRequest"],
      ["whose prompt is there", facts({ session: { hasPrompt: true } }), "queued"],
      ["where autofix is off", set({ enabled: false }), "AutofixDisabled"],
      ["whose Repository was deleted", facts({ isRepositoryThere: false }), "RepositoryNotFound"],
      ["whose Repository is served no more", facts({ isRepositoryServed: false }), "RepositoryNotServed"],
      [
        "whose Repository was deleted where autofix is off",
        { ...set({ enabled: false }), isRepositoryThere: false },
        "AutofixDisabled",
      ],
      ["as a review where reviews are off", set({ reviewsEnabled: false }), "ReviewsDisabled"],
      ["as a review where comments are off", set({ pullRequestCommentsEnabled: false }), "ask"],
      [
        "as a comment where comments are off",
        { ...commented(), settings: { ...settings, pullRequestCommentsEnabled: false } },
        "PullRequestCommentsDisabled",
      ],
      [
        "as a comment where reviews are off",
        { ...commented(), settings: { ...settings, reviewsEnabled: false } },
        "ask",
      ],
      ["that was not read", facts({ feedback: undefined }), "read feedback"],
      ["that is gone", facts({ feedback: "gone" }), "FeedbackNotFound"],
      ["with a text that is not read to its end", facts({ feedback: "tooLong" }), "FeedbackTooLarge"],
      ["on a pull request that is closed", reviewed({ isPullRequestOpen: false }), "PullRequestNotOpen"],
      ["of a person whose permission was not read", facts({ permission: undefined }), "read permission"],
      ["of a person who may read", facts({ permission: "read" }), "AuthorLacksWritePermission"],
      ["of a person who may triage", facts({ permission: "triage" }), "AuthorLacksWritePermission"],
      ["of a person with no permission", facts({ permission: "none" }), "AuthorLacksWritePermission"],
      ["of a person who may write", facts({ permission: "write" }), "ask"],
      ["of a person who may maintain", facts({ permission: "maintain" }), "ask"],
      ["of an administrator", facts({ permission: "admin" }), "ask"],
      ["of an account that is gone", reviewed({ author: null }), "AuthorLacksWritePermission"],
      [
        "of an account that is neither",
        reviewed({ author: { login: "acme", type: "Organization" } }),
        "AuthorLacksWritePermission",
      ],
      ["of a bot in the list", { ...reviewed(aBot("reviewer[bot]")), permission: undefined }, "ask"],
      ["of a bot in the list, in another case", reviewed(aBot("REVIEWER[bot]")), "ask"],
      ["of a bot that is not in the list", reviewed(aBot("reviewer2[bot]")), "BotNotAllowed"],
      [
        "of a person named as a bot in the list",
        { ...reviewed({ author: { login: "reviewer", type: "User" } }), permission: "read" },
        "AuthorLacksWritePermission",
      ],
      ["as a comment of a bot in the list", commented(aBot("reviewer[bot]")), "BotPullRequestComment"],
      ["as a comment of a bot that is not in the list", commented(aBot("other[bot]")), "BotPullRequestComment"],
      ["as a comment of the App", commented(aBot("helper[bot]")), "BotPullRequestComment"],
      ["of the App", { ...reviewed(aBot("Helper[bot]")), permission: undefined }, "ask"],
      [
        "of the App where its own reviews are off",
        { ...reviewed(aBot("helper[bot]")), settings: { ...settings, ownReviewsEnabled: false } },
        "OwnReviewsDisabled",
      ],
      [
        "as replies of the App",
        reviewed({ ...aBot("helper[bot]"), body: " ", comments: [{ ...lineComment, isReply: true }] }),
        "OwnReviewReplies",
      ],
      [
        "of the App with a reply and a comment",
        reviewed({ ...aBot("helper[bot]"), body: "", comments: [{ ...lineComment, isReply: true }, lineComment] }),
        "ask",
      ],
      [
        "of the App with a body and a reply",
        reviewed({ ...aBot("helper[bot]"), comments: [{ ...lineComment, isReply: true }] }),
        "ask",
      ],
      ["as replies of a person", reviewed({ body: "", comments: [{ ...lineComment, isReply: true }] }), "ask"],
      ["that mentions the App", reviewed({ body: "@Helper fix it" }), "ExplicitMention"],
      [
        "with a line comment that mentions the App",
        reviewed({ comments: [lineComment, { ...lineComment, body: "@helper why?" }] }),
        "ExplicitMention",
      ],
      ["as a comment that mentions the App", commented({ body: "@helper[bot] fix it" }), "ExplicitMention"],
      ["that mentions a longer name", reviewed({ body: "@helperbot fix it" }), "ask"],
      ["that approves", reviewed({ state: "APPROVED" }), "ReviewStateNotActionable"],
      ["that was dismissed", reviewed({ state: "DISMISSED" }), "ReviewStateNotActionable"],
      ["that is pending", reviewed({ state: "PENDING" }), "ReviewStateNotActionable"],
      ["without a state", reviewed({ state: undefined }), "ReviewStateNotActionable"],
      ["that asks for changes", reviewed({ state: "CHANGES_REQUESTED" }), "ask"],
      ["that asks for changes in lower case", reviewed({ state: "changes_requested" }), "ask"],
      ["as a review of white space", reviewed({ body: " \n" }), "EmptyFeedback"],
      ["as a review of one line comment", reviewed({ body: "", comments: [lineComment] }), "ask"],
      ["as a comment of white space", commented({ body: "\n" }), "EmptyFeedback"],
      ["as a comment", commented(), "ask"],
      ["with 100 comments", reviewed({ comments: Array.from({ length: 100 }, () => lineComment) }), "ask"],
      ["with 101 comments", reviewed({ comments: Array.from({ length: 101 }, () => lineComment) }), "FeedbackTooLarge"],
      ["longer than a prompt", reviewed({ body: "x".repeat(200_000) }), "FeedbackTooLarge"],
    ]),
  )("$name: $want", ({ given, want }) => {
    expect(word(decideFeedback(given))).toBe(want);
  });
});

/** What fails each check alone, in the order of the checks. */
type Failing = (facts: FeedbackFacts) => FeedbackFacts;
const onFeedback =
  (change: (feedback: Feedback) => Partial<Feedback>): Failing =>
  (before) => ({
    ...before,
    feedback: typeof before.feedback === "object" ? { ...before.feedback, ...change(before.feedback) } : undefined,
  });
const onSettings =
  (change: Partial<FeedbackFacts["settings"]>): Failing =>
  (before) => ({ ...before, settings: { ...before.settings, ...change } });

const ordered: readonly [string, Failing][] = [
  ["settled", (before) => ({ ...before, isSettled: true })],
  ["UntrackedPullRequest", (before) => ({ ...before, session: undefined })],
  ["queued", (before) => ({ ...before, session: before.session && { hasPrompt: true } })],
  ["AutofixDisabled", onSettings({ enabled: false })],
  ["RepositoryNotFound", (before) => ({ ...before, isRepositoryThere: false })],
  ["RepositoryNotServed", (before) => ({ ...before, isRepositoryServed: false })],
  ["ReviewsDisabled", onSettings({ reviewsEnabled: false })],
  ["PullRequestNotOpen", onFeedback(() => ({ isPullRequestOpen: false }))],
  ["AuthorLacksWritePermission", (before) => ({ ...before, permission: "read" })],
  ["ExplicitMention", onFeedback(({ body }) => ({ body: `${body} @helper` }))],
  ["ReviewStateNotActionable", onFeedback(() => ({ state: "APPROVED" }))],
  ["FeedbackTooLarge", onFeedback(() => ({ comments: Array.from({ length: 101 }, () => lineComment) }))],
];

describe("the first check that fails decides", () => {
  const pairs = ordered.flatMap(([reason, fail], index) =>
    ordered.slice(index + 1).map(([later, failLater]) => ({ reason, later, given: failLater(fail(facts())) })),
  );
  it.each(pairs)("$reason before $later", ({ reason, given }) => {
    expect(word(decideFeedback(given))).toBe(reason);
  });

  const ofBot = onFeedback(() => aBot("other[bot]"));
  const ofApp = onFeedback(() => aBot("helper[bot]"));
  const replies = onFeedback(() => ({ body: "", comments: [{ ...lineComment, isReply: true, body: "@helper" }] }));
  const empty = onFeedback(() => ({ body: "", comments: [] }));
  it.each<[string, string, FeedbackFacts]>([
    ["PullRequestNotOpen", "BotNotAllowed", onFeedback(() => ({ isPullRequestOpen: false }))(ofBot(facts()))],
    ["BotNotAllowed", "ExplicitMention", onFeedback(() => ({ body: "@helper" }))(ofBot(facts()))],
    ["OwnReviewsDisabled", "OwnReviewReplies", onSettings({ ownReviewsEnabled: false })(replies(ofApp(facts())))],
    ["OwnReviewReplies", "ExplicitMention", replies(ofApp(facts()))],
    ["ReviewStateNotActionable", "EmptyFeedback", onFeedback(() => ({ state: "APPROVED" }))(empty(facts()))],
    ["AuthorLacksWritePermission", "EmptyFeedback", empty(facts({ permission: "read" }))],
    [
      "PullRequestNotOpen",
      "permission",
      onFeedback(() => ({ isPullRequestOpen: false }))(facts({ permission: undefined })),
    ],
    ["AutofixDisabled", "what GitHub has", onSettings({ enabled: false })(facts({ feedback: undefined }))],
  ])("%s before %s", (reason, _later, given) => {
    expect(word(decideFeedback(given))).toBe(reason);
  });
});

it("asks its session with the prompt", () => {
  const decision = decideFeedback(facts());
  expect(decision.kind === "ask" && decision.text).toContain('"body": "Please fix."');
});
