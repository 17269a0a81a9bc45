import { z } from "zod";

import type { GitHubEvent, GitHubEventType, GitHubOccurrence } from "../../api/v1alpha1/index.ts";
import { githubEventNames, subscriptionOf } from "./github-subscriptions.ts";
import { firstCharacters } from "../../lib/characters.ts";
import { readAs } from "./read-as.ts";

/**
 * The largest body that is parsed: 4 MiB. Events of the types that are handled are far smaller, and parsed JSON can take twenty
 * times the memory of its bytes, which a tenant with an Integration could use against all.
 */
export const longestParsedBytes = 4_194_304;
/** Most of a comment that is kept: the first prompt shows no more of all that is known of an event. */
const commentCharacters = 4_000;
const descriptionCharacters = 500;
const hunkCharacters = 1_000;
const shownLabels = 20;
const shownPullRequests = 10;

const Id = z.int().min(1);
const cut = (characters: number) => z.string().transform((text) => firstCharacters(text, characters));
const Title = cut(300);
const Link = cut(500);
const Ref = cut(255);
const User = z.object({ login: cut(100) }).nullish();
const Labels = z
  .array(z.object({ name: cut(100) }))
  .transform((all) => all.slice(0, 100).map(({ name }) => name))
  .nullish();
const Branch = z.object({ ref: Ref, sha: cut(64) });

const Envelope = z.object({
  action: z.string(),
  repository: z.object({ id: Id, full_name: z.string().max(200) }),
  sender: User,
});
type Envelope = z.output<typeof Envelope>;

const PullRequest = z.object({
  number: Id,
  title: Title,
  html_url: Link,
  body: cut(descriptionCharacters).nullish(),
  state: cut(20),
  draft: z.boolean().nullish(),
  merged: z.boolean().nullish(),
  closed_at: cut(40).nullish(),
  user: User,
  head: Branch,
  base: Branch,
  labels: Labels,
});
const OfPullRequest = z.object({ pull_request: PullRequest });

const Issue = z.object({
  number: Id,
  title: Title,
  html_url: Link,
  body: cut(descriptionCharacters).nullish(),
  user: User,
  labels: Labels,
  updated_at: cut(40),
  pull_request: z.object({}).nullish(),
});
const OfIssue = z.object({ issue: Issue, label: z.object({ name: cut(100) }).nullish() });

const Comment = z.object({ id: Id, body: cut(commentCharacters), html_url: Link, user: User });
const OfComment = z.object({ issue: Issue, comment: Comment });
const OfReviewComment = z.object({
  pull_request: PullRequest,
  comment: Comment.extend({ path: cut(500), diff_hunk: cut(hunkCharacters) }),
});

const Checks = z.object({
  id: Id,
  head_branch: Ref.nullish(),
  head_sha: cut(64),
  conclusion: cut(64).nullish(),
  pull_requests: z
    .array(z.object({ number: Id }))
    .transform((all) => all.slice(0, shownPullRequests).map(({ number }) => number))
    .nullish(),
});
const OfCheckSuite = z.object({ check_suite: Checks });
const OfWorkflowRun = z.object({
  workflow_run: Checks.extend({
    name: cut(255).nullish(),
    html_url: Link,
    path: cut(500).nullish(),
    run_attempt: z.int().min(0).nullish(),
  }),
  workflow: z.object({ name: cut(255) }).nullish(),
});

/** What of an event counts; where `key` lacks the repository, which comes first in all keys. */
type Read = Omit<GitHubOccurrence, "type" | "actor" | "details"> & {
  about: Pick<GitHubEvent, "number" | "subjectType">;
  shown: Readonly<Record<string, unknown>>;
};

/** How events of one type are read; their bodies say more than is kept. */
const readers: Readonly<Record<GitHubEventType, (value: unknown) => Read>> = {
  PullRequestOpened: (value) => pullRequestOf(value, "opened"),
  PullRequestUpdated: (value) => pullRequestOf(value, "updated"),
  PullRequestClosed: (value) => pullRequestOf(value, "closed"),
  IssueOpened: (value) => issueOf(value, "opened"),
  IssueLabeled: (value) => issueOf(value, "labeled"),
  IssueCommented: commentOf,
  ReviewCommented: reviewCommentOf,
  CheckSuiteCompleted: checkSuiteOf,
  WorkflowRunCompleted: workflowRunOf,
};

/** The types of GitHub's that may hold one of these events, such as `pull_request`. */
export function typesAtGitHub(wanted: ReadonlySet<GitHubEventType>): Set<string> {
  return new Set([...wanted].map(subscriptionOf));
}

/**
 * What an event of GitHub's is to Automations; undefined where it is none that one of them wants. `type` is GitHub's own.
 * @throws Refusal `InvalidPayload`
 */
export function readGitHubOccurrence(
  value: unknown,
  type: string,
  wanted: ReadonlySet<GitHubEventType>,
): GitHubEvent | undefined {
  if (!typesAtGitHub(wanted).has(type)) return undefined;
  const envelope = readAs(Envelope, value, "GitHub");
  const found = [...wanted].find((one) => githubEventNames[one] === `${type}.${envelope.action}`);
  return found && occurrenceOf(found, envelope, value);
}

function occurrenceOf(type: GitHubEventType, { repository, sender }: Envelope, value: unknown): GitHubEvent {
  const { about, key, shown, ...compared } = readers[type](value);
  const details = { event: type, repository: repository.full_name, by: sender?.login, ...shown };
  return {
    action: "Occurred",
    repository: { id: repository.id, name: repository.full_name },
    ...about,
    occurrence: {
      type,
      key: `repository ${repository.id} ${key}`,
      ...(sender && { actor: sender.login }),
      ...compared,
      details: JSON.stringify(details),
    },
  };
}

function pullRequestOf(value: unknown, what: "opened" | "updated" | "closed"): Read {
  const { pull_request: pull } = readAs(OfPullRequest, value, "GitHub");
  // One that was opened again at the same commit closes once more.
  const when = what === "closed" ? (pull.closed_at ?? "") : pull.head.sha;
  return {
    key: `pull request ${pull.number} ${what} ${when}`,
    ...branchesOf(pull),
    about: { number: pull.number, subjectType: "PullRequest" },
    shown: { pullRequest: shownPullRequest(pull), description: pull.body ?? undefined },
  };
}

function issueOf(value: unknown, what: "opened" | "labeled"): Read {
  const { issue, label } = readAs(OfIssue, value, "GitHub");
  const added = what === "labeled" ? label?.name : undefined;
  // A label may be added, taken away and added again.
  const when = what === "labeled" ? ` ${JSON.stringify(added ?? "")} ${issue.updated_at}` : "";
  return {
    key: `issue ${issue.number} ${what}${when}`,
    ...labelsOf(issue.labels),
    ...(added !== undefined && { addedLabel: added }),
    about: { number: issue.number, subjectType: "Issue" },
    shown: { addedLabel: added, issue: shownIssue(issue), description: issue.body ?? undefined },
  };
}

function commentOf(value: unknown): Read {
  const { issue, comment } = readAs(OfComment, value, "GitHub");
  const subjectType = issue.pull_request ? "PullRequest" : "Issue";
  return {
    key: `comment ${comment.id}`,
    ...labelsOf(issue.labels),
    about: { number: issue.number, subjectType },
    shown: {
      [subjectType === "Issue" ? "issue" : "pullRequest"]: shownIssue(issue),
      comment: shownComment(comment),
    },
  };
}

function reviewCommentOf(value: unknown): Read {
  const { pull_request: pull, comment } = readAs(OfReviewComment, value, "GitHub");
  return {
    key: `review comment ${comment.id}`,
    ...branchesOf(pull),
    about: { number: pull.number, subjectType: "PullRequest" },
    shown: {
      pullRequest: shownPullRequest(pull),
      path: comment.path,
      hunk: comment.diff_hunk,
      comment: shownComment(comment),
    },
  };
}

function checkSuiteOf(value: unknown): Read {
  const { check_suite: suite } = readAs(OfCheckSuite, value, "GitHub");
  return { key: `check suite ${suite.id}`, ...checksOf(suite), about: {}, shown: shownChecks(suite) };
}

function workflowRunOf(value: unknown): Read {
  const { workflow_run: run, workflow } = readAs(OfWorkflowRun, value, "GitHub");
  const name = workflow?.name ?? run.name ?? undefined;
  return {
    key: `workflow run ${run.id} attempt ${run.run_attempt ?? 1}`,
    ...checksOf(run),
    ...(name !== undefined && { workflow: name }),
    about: {},
    shown: { workflow: name, run: run.id, link: run.html_url, path: run.path ?? undefined, ...shownChecks(run) },
  };
}

function branchesOf({ head, base, labels }: z.output<typeof PullRequest>) {
  return { branch: head.ref, targetBranch: base.ref, ...labelsOf(labels) };
}

function labelsOf(labels: readonly string[] | null | undefined): Pick<GitHubOccurrence, "labels"> {
  return labels ? { labels: [...labels] } : {};
}

function checksOf({ head_branch: branch, conclusion }: z.output<typeof Checks>) {
  return { ...(branch && { branch }), ...(conclusion && { conclusion }) };
}

function shownPullRequest(pull: z.output<typeof PullRequest>): object {
  const { number, title, html_url: link, user, head, base, labels } = pull;
  return {
    number,
    title,
    link,
    author: user?.login,
    from: head.ref,
    into: base.ref,
    commit: head.sha,
    state: stateOf(pull),
    labels: labels?.slice(0, shownLabels),
  };
}

function stateOf({ merged, draft, state }: z.output<typeof PullRequest>): string {
  if (merged === true) return "merged";
  return draft === true && state === "open" ? "draft" : state;
}

function shownIssue({ number, title, html_url: link, user, labels }: z.output<typeof Issue>): object {
  return { number, title, link, author: user?.login, labels: labels?.slice(0, shownLabels) };
}

function shownComment({ html_url: link, user, body }: z.output<typeof Comment>): object {
  return { link, author: user?.login, text: body };
}

function shownChecks(checks: z.output<typeof Checks>): Record<string, unknown> {
  const { conclusion, head_branch: branch, head_sha: commit, pull_requests: pullRequests } = checks;
  return { conclusion, branch, commit: commit.slice(0, 7), pullRequests };
}
