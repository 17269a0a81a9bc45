import type { Endpoints } from "@octokit/types";

import type { GitHubAnswer, GitHubComment, GitHubServer } from "./github-model.ts";
import { type GitHubReview, pageOf, shownPull, withType } from "./github-pulls.ts";

type Data<Route extends keyof Endpoints> = Endpoints[Route]["response"]["data"];
type IssueData = Data<"GET /repos/{owner}/{repo}/issues/{issue_number}">;
type CommentData = Data<"GET /repos/{owner}/{repo}/issues/comments/{comment_id}">;
type ReviewCommentData = Data<"GET /repos/{owner}/{repo}/pulls/comments/{comment_id}">;

function urlOf(repository: string, number: number): string {
  return `https://github.com/${repository}/issues/${number}`;
}

export function issueData(github: GitHubServer, repository: string, number: number): object | undefined {
  const issue = github.issues.find((one) => one.repository === repository && one.number === number);
  if (!issue) return undefined;
  const comments = github.comments.filter(
    (one) => one.repository === repository && one.number === number && !one.review,
  ).length;
  const data: Pick<IssueData, "number" | "title" | "body" | "html_url" | "state" | "comments" | "labels"> = {
    number,
    title: issue.title,
    body: issue.body,
    html_url: urlOf(repository, number),
    state: "open",
    comments,
    labels: [{ name: "bug" }],
  };
  return data;
}

export function pullData(github: GitHubServer, repository: string, number: number): object | undefined {
  const opened = github.pulls.find((one) => one.repository === repository && one.number === number);
  if (opened) return shownPull(opened);
  const pull = github.issues.find((one) => one.repository === repository && one.number === number)?.pull;
  return (
    pull && {
      number,
      state: "open",
      head: { ref: pull.head, repo: { full_name: pull.headRepository } },
      base: { ref: pull.base },
    }
  );
}

export function reviewKey({ number, id }: GitHubReview): string {
  return `${number}/reviews/${id}`;
}

export function shown(comment: GitHubComment | undefined): object | undefined {
  if (!comment) return undefined;
  const { id, body, repository, number, user, review } = comment;
  const data: Pick<CommentData, "id" | "body" | "html_url"> & { user: { id: number; login: string } } = {
    id,
    body,
    html_url: `${urlOf(repository, number)}#comment-${id}`,
    user: withType(user),
  };
  if (!review) return data;
  const { line, original_line, ...rest } = review;
  const place: Pick<ReviewCommentData, "path" | "diff_hunk"> & Record<"line" | "original_line", number | null> = {
    ...rest,
    line,
    original_line,
  };
  return { ...data, ...place };
}

export function listed(github: GitHubServer, repository: string, number: number, query: URLSearchParams): GitHubAnswer {
  const since = Date.parse(query.get("since") ?? "1970-01-01T00:00:00Z");
  const all = github.comments.filter(
    (one) => one.repository === repository && one.number === number && !one.review && one.createdMs >= since,
  );
  return { status: 200, body: pageOf(all, query).map(shown) };
}

export function listedOnLines(
  github: GitHubServer,
  repository: string,
  number: number,
  query: URLSearchParams,
): GitHubAnswer {
  const all = github.comments.filter((one) => one.repository === repository && one.number === number && one.review);
  const isNewestFirst = query.get("sort") === "created" && query.get("direction") === "desc";
  return { status: 200, body: pageOf(isNewestFirst ? all.reverse() : all, query).map(shown) };
}

/** Comments of a review, the oldest first; GitHub's own list of them lacks their lines. */
export function listedOfReview(
  github: GitHubServer,
  repository: string,
  key: string,
  query: URLSearchParams,
): GitHubAnswer {
  const all = github.comments.filter(
    (one) => one.repository === repository && `${one.number}/reviews/${one.review?.pull_request_review_id}` === key,
  );
  return { status: 200, body: pageOf(all, query).map((one) => ({ ...shown(one), line: undefined })) };
}

export function deliveriesOf(github: GitHubServer, query: URLSearchParams): GitHubAnswer {
  const perPage = Math.min(100, Number(query.get("per_page") ?? 30));
  const from = Number((query.get("cursor") ?? "v1_0").replace("v1_", ""));
  const all = github.deliveries.toReversed();
  const isMore = from + perPage < all.length;
  const link = `<${github.url}/app/hook/deliveries?per_page=${perPage}&cursor=v1_${from + perPage}>; rel="next"`;
  return { status: 200, body: all.slice(from, from + perPage), headers: isMore ? { link } : {} };
}
