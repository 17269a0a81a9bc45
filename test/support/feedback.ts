import type { Feedback, LineComment } from "../../src/connector/github/autofix/feedback.ts";

/** A comment on a line of a pull request's changes. */
export function aLineComment(change: Partial<LineComment> = {}): LineComment {
  return {
    url: "https://github.com/acme/api/pull/7#discussion_r1",
    path: "src/login.ts",
    line: 12,
    startLine: 10,
    originalLine: 12,
    originalStartLine: 10,
    side: "RIGHT",
    startSide: "RIGHT",
    body: "Too long.",
    diffHunk: "@@ -1 +1 @@\n+x",
    isReply: false,
    ...change,
  };
}

/** A review of a person's on an open pull request. */
export function aReview(change: Partial<Feedback> = {}): Feedback {
  return {
    kind: "Review",
    url: "https://github.com/acme/api/pull/7#pullrequestreview-1",
    body: "Please fix.",
    state: "COMMENTED",
    author: { login: "ann", type: "User" },
    comments: [],
    isPullRequestOpen: true,
    ...change,
  };
}
