import { z } from "zod";

import type { GitHubCall } from "./github-request.ts";
import type { Page } from "./read-page.ts";

const User = z.object({ id: z.int(), login: z.string(), type: z.string().optional() }).nullish();

const Comment = z.object({ id: z.int(), body: z.string().nullish(), html_url: z.string(), user: User });
export type Comment = z.output<typeof Comment>;

const ReviewComment = Comment.extend({
  path: z.string(),
  line: z.int().nullish(),
  original_line: z.int().nullish(),
  diff_hunk: z.string(),
});
export type ReviewComment = z.output<typeof ReviewComment>;

const Line = z.int().nullish();

/** A comment on a line with all that places it, as GitHub lists those of a pull request. */
const PlacedComment = ReviewComment.extend({
  pull_request_review_id: z.int().nullish(),
  in_reply_to_id: z.int().nullish(),
  start_line: Line,
  original_start_line: Line,
  side: z.string().nullish(),
  start_side: z.string().nullish(),
});
export type PlacedComment = z.output<typeof PlacedComment>;

const Review = z.object({ body: z.string().nullish(), html_url: z.string(), state: z.string(), user: User });
export type Review = z.output<typeof Review>;

const Issue = z.object({
  title: z.string(),
  body: z.string().nullish(),
  html_url: z.string(),
  state: z.string(),
  comments: z.int(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])),
});
export type Issue = z.output<typeof Issue>;

const Head = z.object({ ref: z.string(), repo: z.object({ full_name: z.string() }).nullish() });
const PullRequest = z.object({ state: z.string(), head: Head, base: z.object({ ref: z.string() }) });
export type PullRequestFields = z.output<typeof PullRequest>;

export function readIssue(number: number): GitHubCall<Issue> {
  const route = "GET /repos/{owner}/{repo}/issues/{issue_number}";
  return { operation: "read-issue", route, parameters: { issue_number: number }, answer: Issue };
}

export function readPullRequest(number: number): GitHubCall<PullRequestFields> {
  const route = "GET /repos/{owner}/{repo}/pulls/{pull_number}";
  return { operation: "read-pull-request", route, parameters: { pull_number: number }, answer: PullRequest };
}

const ListedPullRequest = PullRequest.extend({
  base: z.object({ ref: z.string(), repo: z.object({ id: z.int() }) }),
  number: z.int(),
  html_url: z.string(),
  body: z.string().nullish(),
  draft: z.boolean().nullish(),
  merged_at: z.string().nullish(),
  updated_at: z.string(),
  user: User,
});
export type ListedPullRequest = z.output<typeof ListedPullRequest>;

/** Pull requests from a branch, the newest first; GitHub leaves a `head` without its OWNER out of account. */
export function listPullRequests(
  which: Page & { head: string; base: string | undefined; state: "open" | "all" },
): GitHubCall<ListedPullRequest[]> {
  const { perPage: per_page, base, ...rest } = which;
  return {
    operation: "list-pull-requests",
    route: "GET /repos/{owner}/{repo}/pulls",
    parameters: { ...rest, per_page, ...(base !== undefined && { base }) },
    answer: z.array(ListedPullRequest),
  };
}

/** A pull request with all that its state needs. */
export function readWholePullRequest(number: number): GitHubCall<ListedPullRequest> {
  return { ...readPullRequest(number), answer: ListedPullRequest };
}

export function createPullRequest(wanted: {
  head: string;
  base: string;
  title: string;
  body: string;
  draft: boolean;
}): GitHubCall<ListedPullRequest> {
  return {
    operation: "create-pull-request",
    route: "POST /repos/{owner}/{repo}/pulls",
    parameters: { ...wanted },
    answer: ListedPullRequest,
  };
}

export function readComment(id: number): GitHubCall<Comment> {
  const route = "GET /repos/{owner}/{repo}/issues/comments/{comment_id}";
  return { operation: "read-comment", route, parameters: { comment_id: id }, answer: Comment };
}

export function readReviewComment(id: number): GitHubCall<ReviewComment> {
  const route = "GET /repos/{owner}/{repo}/pulls/comments/{comment_id}";
  return { operation: "read-review-comment", route, parameters: { comment_id: id }, answer: ReviewComment };
}

export function readReview(number: number, id: number): GitHubCall<Review> {
  const route = "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}";
  return { operation: "read-review", route, parameters: { pull_number: number, review_id: id }, answer: Review };
}

/** Comments on lines of a pull request, of all reviews, the newest first; the list of one review alone may lack their lines. */
export function listLineComments(number: number, { page, perPage: per_page }: Page): GitHubCall<PlacedComment[]> {
  return {
    operation: "list-line-comments",
    route: "GET /repos/{owner}/{repo}/pulls/{pull_number}/comments",
    parameters: { pull_number: number, sort: "created", direction: "desc", page, per_page },
    answer: z.array(PlacedComment),
  };
}

/** Comments of one review, the oldest first; they may lack their lines. */
export function listReviewComments(
  number: number,
  id: number,
  { page, perPage: per_page }: Page,
): GitHubCall<PlacedComment[]> {
  return {
    operation: "list-review-comments",
    route: "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments",
    parameters: { pull_number: number, review_id: id, page, per_page },
    answer: z.array(PlacedComment),
  };
}

/** A comment on a line with all that places it. */
export function readLineComment(id: number): GitHubCall<PlacedComment> {
  return { ...readReviewComment(id), answer: PlacedComment };
}

/** Comments on an issue or pull request, the oldest first. */
export function listComments(number: number, which: Page & { since?: string | undefined }): GitHubCall<Comment[]> {
  const { page, perPage: per_page, since } = which;
  return {
    operation: "list-comments",
    route: "GET /repos/{owner}/{repo}/issues/{issue_number}/comments",
    parameters: { issue_number: number, page, per_page, ...(since !== undefined && { since }) },
    answer: z.array(Comment),
  };
}

export function createComment(number: number, body: string): GitHubCall<{ id: number }> {
  return {
    operation: "create-comment",
    route: "POST /repos/{owner}/{repo}/issues/{issue_number}/comments",
    parameters: { issue_number: number, body },
    answer: z.object({ id: z.int() }),
  };
}

/** A second one of the same kind is the first. */
export function createReaction(comment: { id: number; isReviewComment: boolean }): GitHubCall<{ id: number }> {
  const comments = comment.isReviewComment ? "pulls/comments" : "issues/comments";
  return {
    operation: "create-reaction",
    route: `POST /repos/{owner}/{repo}/${comments}/{comment_id}/reactions`,
    parameters: { comment_id: comment.id, content: "eyes" },
    answer: z.object({ id: z.int() }),
  };
}

/** Permissions of those who may write. */
export const writers: readonly string[] = ["write", "maintain", "admin"];

/** `maintain` reads as write, `triage` as read. */
export function readPermission(username: string): GitHubCall<{ permission: string }> {
  return {
    operation: "read-permission",
    route: "GET /repos/{owner}/{repo}/collaborators/{username}/permission",
    parameters: { username },
    answer: z.object({ permission: z.string() }),
  };
}

const Installation = z.object({
  app_slug: z.string(),
  account: z.object({ login: z.string() }).nullish(),
  permissions: z.record(z.string(), z.string()),
  events: z.array(z.string()),
  suspended_at: z.string().nullish(),
});
export type Installation = z.output<typeof Installation>;

export function readInstallation(id: number): GitHubCall<Installation> {
  const route = "GET /app/installations/{installation_id}";
  const parameters = { installation_id: id };
  return { operation: "read-installation", route, parameters, answer: Installation, provesApp: true };
}

const Delivery = z.object({
  /** Beyond what a number holds exactly. */
  id: z.union([z.int(), z.bigint()]),
  /** The same for each try of an event. */
  guid: z.string(),
  delivered_at: z.string(),
  status_code: z.int(),
  event: z.string(),
  installation_id: z.int().nullish(),
});
export type Delivery = z.output<typeof Delivery>;

/** Deliveries of the App's webhook, the newest first; `cursor` is what the page before names as the next one. */
export function listDeliveries(perPage: number, cursor: string | undefined): GitHubCall<Delivery[]> {
  return {
    operation: "list-deliveries",
    route: "GET /app/hook/deliveries",
    parameters: { per_page: perPage, ...(cursor !== undefined && { cursor }) },
    answer: z.array(Delivery),
  };
}

export function redeliver(id: Delivery["id"]): GitHubCall<unknown> {
  const route = "POST /app/hook/deliveries/{delivery_id}/attempts";
  return { operation: "redeliver", route, parameters: { delivery_id: String(id) }, answer: z.unknown() };
}
