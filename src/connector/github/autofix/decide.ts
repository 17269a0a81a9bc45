import { mentions } from "../../../domain/integrations/mention.ts";
import { writers } from "../calls.ts";
import { authorKindOf, botName, type Feedback, type FeedbackKind } from "./feedback.ts";
import { feedbackPrompt, longerThanPrompts } from "./prompt-text.ts";
import type { ReadFeedback } from "./read.ts";
import type { EffectiveAutofix } from "../../../domain/pull-requests/autofix-settings.ts";

/** Why feedback is left alone. */
export type SkipReason =
  | "UntrackedPullRequest"
  | "AutofixDisabled"
  | "RepositoryNotFound"
  | "RepositoryNotServed"
  | "ReviewsDisabled"
  | "PullRequestCommentsDisabled"
  | "PullRequestNotOpen"
  | "AuthorLacksWritePermission"
  | "BotNotAllowed"
  | "BotPullRequestComment"
  | "OwnReviewsDisabled"
  | "OwnReviewReplies"
  | "ExplicitMention"
  | "ReviewStateNotActionable"
  | "EmptyFeedback";

/** Why feedback can never be worked in, although it should be. */
export type FailReason = "FeedbackNotFound" | "FeedbackTooLarge";

/** What is known of one feedback; what GitHub has of it is read only where a check asks for it. */
export interface FeedbackFacts {
  kind: FeedbackKind;
  /** Whether an earlier event brought it, and it was skipped. */
  isSettled: boolean;
  /** The session that owns the pull request, and whether it has the prompt of this feedback already. */
  session: { hasPrompt: boolean } | undefined;
  settings: EffectiveAutofix;
  /** Whether the Repository is there, which may have switched autofix off. */
  isRepositoryThere: boolean;
  /** Whether the Integration still has the Repository in `github.repositories`. */
  isRepositoryServed: boolean;
  /** The App's name, by which people mention it. */
  slug: string;
  /** Undefined before it was read. */
  feedback: ReadFeedback | undefined;
  /** The author's permission for the repository; undefined before it was read. */
  permission: string | undefined;
}

/** `read` = the same decision again with more facts; `ask` = the session decides whether there is room for the prompt. */
export type FeedbackDecision =
  | { kind: "settled" }
  | { kind: "queued" }
  | { kind: "read"; what: "feedback" | "permission" }
  | { kind: "skip"; reason: SkipReason }
  | { kind: "fail"; reason: FailReason; message: string }
  | { kind: "ask"; text: string };

type KnownFacts = Omit<FeedbackFacts, "feedback"> & { feedback: Feedback };
type Check<Facts> = (facts: Facts) => FeedbackDecision | undefined;

/** In this order, which is part of what people see. Room and cap are decided after them, by {@link admitFeedback}. */
const checksBeforeReading: readonly Check<FeedbackFacts>[] = [
  ({ isSettled }) => (isSettled ? { kind: "settled" } : undefined),
  ({ session }) => skipIf(!session, "UntrackedPullRequest"),
  ({ session }) => (session?.hasPrompt ? { kind: "queued" } : undefined),
  ({ settings }) => skipIf(!settings.enabled, "AutofixDisabled"),
  ({ isRepositoryThere }) => skipIf(!isRepositoryThere, "RepositoryNotFound"),
  ({ isRepositoryServed }) => skipIf(!isRepositoryServed, "RepositoryNotServed"),
  ({ kind, settings }) => skipIf(kind === "Review" && !settings.reviewsEnabled, "ReviewsDisabled"),
  ({ kind, settings }) =>
    skipIf(kind === "Comment" && !settings.pullRequestCommentsEnabled, "PullRequestCommentsDisabled"),
];

const checksOfFeedback: readonly Check<KnownFacts>[] = [
  ({ feedback }) => skipIf(!feedback.isPullRequestOpen, "PullRequestNotOpen"),
  checkPerson,
  checkBot,
  checkOwn,
  ({ feedback: { body, comments }, slug }) =>
    skipIf(
      [body, ...comments.map((comment) => comment.body)].some((text) => mentions(text, slug)),
      "ExplicitMention",
    ),
  ({ kind, feedback }) => skipIf(kind === "Review" && !isActionable(feedback), "ReviewStateNotActionable"),
  ({ feedback: { body, comments } }) => skipIf(body.trim() === "" && comments.length === 0, "EmptyFeedback"),
];

/** What becomes of feedback on a pull request, as far as its session does not decide it. */
export function decideFeedback(facts: FeedbackFacts): FeedbackDecision {
  const { feedback } = facts;
  const early = firstOf(checksBeforeReading, facts);
  if (early) return early;
  if (feedback === undefined) return { kind: "read", what: "feedback" };
  if (feedback === "gone") {
    return { kind: "fail", reason: "FeedbackNotFound", message: "GitHub has the feedback no more" };
  }
  if (feedback === "tooLong") return { kind: "fail", reason: "FeedbackTooLarge", message: longerThanPrompts };
  return firstOf(checksOfFeedback, { ...facts, feedback }) ?? askWith(feedback);
}

function firstOf<Facts>(checks: readonly Check<Facts>[], facts: Facts): FeedbackDecision | undefined {
  for (const check of checks) {
    const decision = check(facts);
    if (decision) return decision;
  }
  return undefined;
}

function skipIf(isLeftAlone: boolean, reason: SkipReason): FeedbackDecision | undefined {
  return isLeftAlone ? { kind: "skip", reason } : undefined;
}

/** Accounts that are gone, or neither a person's nor a bot's, have no permission. */
function checkPerson({ feedback, slug, permission }: KnownFacts): FeedbackDecision | undefined {
  const author = authorKindOf(feedback, slug);
  if (author === "Other") return skipIf(true, "AuthorLacksWritePermission");
  if (author !== "Person") return undefined;
  if (permission === undefined) return { kind: "read", what: "permission" };
  return skipIf(!writers.includes(permission), "AuthorLacksWritePermission");
}

/** Comments of bots on the pull request, our own included, would have bots answer each other. */
function checkBot({ kind, feedback, slug, settings }: KnownFacts): FeedbackDecision | undefined {
  const author = authorKindOf(feedback, slug);
  if (author === "Person") return undefined;
  if (kind === "Comment") return skipIf(true, "BotPullRequestComment");
  const allowed = settings.allowedReviewBots.map(botName);
  return skipIf(author === "Bot" && !allowed.includes(botName(feedback.author?.login ?? "")), "BotNotAllowed");
}

function checkOwn({ feedback, slug, settings }: KnownFacts): FeedbackDecision | undefined {
  if (authorKindOf(feedback, slug) !== "Own") return undefined;
  if (!settings.ownReviewsEnabled) return skipIf(true, "OwnReviewsDisabled");
  const { body, comments } = feedback;
  const isReplies = body.trim() === "" && comments.length > 0 && comments.every(({ isReply }) => isReply);
  return skipIf(isReplies, "OwnReviewReplies");
}

/** GitHub's API writes states in upper case, its webhooks in lower case. */
function isActionable({ state = "" }: Feedback): boolean {
  return ["COMMENTED", "CHANGES_REQUESTED"].includes(state.toUpperCase());
}

function askWith(feedback: Feedback): FeedbackDecision {
  const prompt = feedbackPrompt(feedback);
  if (prompt.kind === "text") return { kind: "ask", text: prompt.text };
  return { kind: "fail", reason: "FeedbackTooLarge", message: prompt.message };
}
