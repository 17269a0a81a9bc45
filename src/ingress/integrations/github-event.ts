import { z } from "zod";

import type { GitHubEvent, GitHubSettings } from "../../api/v1alpha1/index.ts";
import { mentions } from "../../domain/integrations/mention.ts";
import { named, readAs } from "../../domain/integrations/read-as.ts";

const Id = z.int().min(1);

const Envelope = z.object({ installation: z.object({ id: Id }) });

const Author = z.object({ id: Id, login: z.string().max(100), type: z.string() });

const Comment = z.object({
  action: z.string(),
  repository: z.object({ id: Id, full_name: z.string().max(200) }),
  issue: z.object({ number: Id, pull_request: z.object({}).nullish() }).nullish(),
  pull_request: z.object({ number: Id }).nullish(),
  comment: z.object({
    id: Id,
    body: z.string(),
    user: Author.nullable(),
  }),
});

const Change = z.object({
  action: z.string(),
  repository: z.object({ id: Id, full_name: z.string().max(200) }),
  pull_request: z.object({ number: Id, head: z.object({ repo: z.object({ id: Id }).nullish() }) }),
});

const Review = Change.extend({
  review: z.object({ id: Id, body: z.string().nullish(), user: Author.nullish() }),
});

/** The type of the samples that `kubectl runwright integration test` sends. */
export const githubSampleType = "runwright_test";

/** Events of what may mention the App. */
const mentioningTypes: readonly string[] = ["issue_comment", "pull_request_review_comment", "pull_request_review"];

/** What may move the state of a pull request. */
const changes: readonly string[] = ["opened", "closed", "reopened", "converted_to_draft", "ready_for_review", "edited"];

/** What of an Integration's settings decides which events are kept. */
export type Wanted = Pick<GitHubSettings, "slug" | "pullRequests">;

/** Types of events of which some are kept; bodies of others are not looked at. */
export function isHandledType(type: string, { pullRequests }: Pick<Wanted, "pullRequests">): boolean {
  // What changed of pull requests matters where some are opened.
  if (type === "pull_request") return pullRequests !== undefined;
  return type === githubSampleType || mentioningTypes.includes(type);
}

/** An event as it is kept, or a sentence that says why it is none that an Integration handles. */
export interface ReadGitHubEvent {
  installationId: number;
  event: GitHubEvent | string;
}

/** Reads an event of GitHub's whose signature was right. @throws Refusal `InvalidPayload` */
export function readGitHubEvent(value: unknown, type: string, wanted: Wanted): ReadGitHubEvent {
  const { installation } = readAs(Envelope, value, "GitHub");
  if (!isHandledType(type, wanted)) {
    return { installationId: installation.id, event: `events of type ${named(type)} are not handled` };
  }
  const read = (event: GitHubEvent | string): ReadGitHubEvent => ({ installationId: installation.id, event });
  if (type === githubSampleType) return read({ action: "Test" });
  if (type === "pull_request") return read(changeOf(readAs(Change, value, "GitHub")));
  if (type === "pull_request_review") return read(reviewOf(readAs(Review, value, "GitHub"), wanted));
  const commentType = type === "issue_comment" ? "Comment" : "ReviewComment";
  return read(commentOf(readAs(Comment, value, "GitHub"), { ...wanted, commentType }));
}

function changeOf({ action, repository, pull_request: pull }: z.output<typeof Change>): GitHubEvent | string {
  if (!changes.includes(action)) return "changes of pull requests that do not move their state are not handled";
  return ofPullRequest({ action: "Changed" }, { repository, pull });
}

/** A mention in the text of a review asks for work, as one in a comment does, also where no pull requests are opened. */
function reviewOf(
  { action, review, repository, pull_request: pull }: z.output<typeof Review>,
  { slug, pullRequests }: Wanted,
): GitHubEvent | string {
  if (action !== "submitted") return "reviews that were changed or dismissed are not handled";
  const { user } = review;
  if (user?.type === "User" && mentions(review.body ?? "", slug)) {
    return {
      action: "Asked",
      repository: { id: repository.id, name: repository.full_name },
      number: pull.number,
      subjectType: "PullRequest",
      reviewID: review.id,
      actor: { id: user.id, login: user.login },
    };
  }
  if (pullRequests === undefined) return "reviews without a mention are not handled";
  return ofPullRequest({ action: "Reviewed", reviewID: review.id }, { repository, pull });
}

/** Agents push to the repository itself. */
function ofPullRequest(
  what: Pick<GitHubEvent, "action" | "reviewID">,
  {
    repository,
    pull,
  }: { repository: z.output<typeof Change>["repository"]; pull: z.output<typeof Change>["pull_request"] },
): GitHubEvent | string {
  if (pull.head.repo?.id !== repository.id) return "pull requests of forks are not handled";
  return {
    ...what,
    repository: { id: repository.id, name: repository.full_name },
    number: pull.number,
    subjectType: "PullRequest",
  };
}

function commentOf(
  comment: z.output<typeof Comment>,
  { commentType, ...wanted }: Wanted & { commentType: GitHubEvent["commentType"] },
): GitHubEvent | string {
  const { action, repository, comment: said } = comment;
  const { id: commentID, user } = said;
  const subject = comment.pull_request ?? comment.issue;
  if (action !== "created") return "comments that were changed or deleted are not handled";
  if (user?.type !== "User") return "comments of bots are not handled";
  const asks = askOf(comment, wanted);
  if (!subject || !asks) return "comments without a mention are not handled";
  return {
    action: asks,
    repository: { id: repository.id, name: repository.full_name },
    number: subject.number,
    subjectType: isOnPullRequest(comment) ? "PullRequest" : "Issue",
    commentID,
    commentType,
    actor: { id: user.id, login: user.login },
  };
}

/** A comment on a line that mentions no App comes with its review. */
function askOf(comment: z.output<typeof Comment>, { slug, pullRequests }: Wanted): "Asked" | "Commented" | undefined {
  if (mentions(comment.comment.body, slug)) return "Asked";
  const isFeedback = pullRequests !== undefined && !comment.pull_request && isOnPullRequest(comment);
  return isFeedback ? "Commented" : undefined;
}

function isOnPullRequest({ issue, pull_request: pullRequest }: z.output<typeof Comment>): boolean {
  return Boolean(issue?.pull_request ?? pullRequest);
}
