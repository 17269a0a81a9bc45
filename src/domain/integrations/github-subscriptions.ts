import type { GitHubEventType } from "../../api/v1alpha1/index.ts";

/** GitHub's name and action of each event that can start Runs. */
export const githubEventNames = {
  PullRequestOpened: "pull_request.opened",
  PullRequestUpdated: "pull_request.synchronize",
  PullRequestClosed: "pull_request.closed",
  IssueOpened: "issues.opened",
  IssueLabeled: "issues.labeled",
  IssueCommented: "issue_comment.created",
  ReviewCommented: "pull_request_review_comment.created",
  CheckSuiteCompleted: "check_suite.completed",
  WorkflowRunCompleted: "workflow_run.completed",
} as const satisfies Record<GitHubEventType, string>;

/** What an App subscribes to for events of a type, such as `pull_request`. */
export function subscriptionOf(type: GitHubEventType): string {
  return githubEventNames[type].replace(/\..*$/, "");
}

/** What an App is not subscribed to, of what these events come by. */
export function missedSubscriptions(types: readonly GitHubEventType[], subscribed: readonly string[]): string[] {
  return [...new Set(types.map(subscriptionOf))].filter((name) => !subscribed.includes(name));
}
