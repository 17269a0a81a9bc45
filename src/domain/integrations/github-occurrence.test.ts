import gitHubExamples from "@octokit/webhooks-examples";
import { describe, expect, it } from "vitest";

import { type GitHubEventType, githubEventTypes, IntegrationEventSpec } from "../../api/v1alpha1/index.ts";
import { Refusal } from "../deliveries/refusal.ts";
import { readGitHubOccurrence, typesAtGitHub } from "./github-occurrence.ts";

// The package is a JSON file, whose types say that it is a module.
const examples = gitHubExamples as unknown as typeof gitHubExamples.default;
const all = new Set(githubEventTypes);
const recorded = examples.flatMap(({ name, examples: payloads }) =>
  payloads.map((payload, index) => ({ name, index, payload: payload as object as Record<string, unknown> })),
);

interface Person {
  login: string;
}
interface Branch {
  ref: string;
  sha: string;
}
/** What the tests change in a payload; each has those parts alone that its type has. */
interface Payload {
  repository: { id: number; full_name: string };
  sender?: Person | undefined;
  pull_request: {
    title: string;
    closed_at: string;
    user: Person;
    head: Branch;
    base: Branch;
    labels: { name: string }[];
  };
  issue: { body: string; updated_at: string };
  label: { name: string };
  comment: { user: Person };
  check_suite: { head_branch: string | null; conclusion: string | null };
  workflow_run: { run_attempt: number };
}
interface Details {
  description: string;
  pullRequest: { state: string };
}

function example(name: string, action: string): Payload {
  const found = recorded.find((one) => one.name === name && one.payload.action === action);
  return structuredClone(found?.payload) as unknown as Payload;
}

const stored = (github: object | undefined): boolean =>
  IntegrationEventSpec.safeParse({
    integrationRef: { name: "github", uid: "u" },
    deliveryID: "d",
    receivedTime: "2026-05-04T10:15:00Z",
    github,
  }).success;

describe("a recorded payload", () => {
  const types: Readonly<Record<string, GitHubEventType>> = {
    "pull_request.opened": "PullRequestOpened",
    "pull_request.synchronize": "PullRequestUpdated",
    "pull_request.closed": "PullRequestClosed",
    "issues.opened": "IssueOpened",
    "issues.labeled": "IssueLabeled",
    "issue_comment.created": "IssueCommented",
    "pull_request_review_comment.created": "ReviewCommented",
    "check_suite.completed": "CheckSuiteCompleted",
    "workflow_run.completed": "WorkflowRunCompleted",
  };

  it("of each type is there", () => {
    const there = new Set(recorded.map(({ name, payload }) => types[`${name}.${String(payload.action)}`]));
    expect(githubEventTypes.filter((type) => !there.has(type))).toEqual([]);
  });

  it.each(recorded)("of $name ($index) is what the table says, and can be stored", ({ name, payload }) => {
    const wanted = types[`${name}.${String(payload.action)}`];
    const event = readGitHubOccurrence(payload, name, all);
    expect(event?.occurrence?.type).toBe(wanted);
    if (wanted === undefined) return;
    expect(stored(event)).toBe(true);
    const others = new Set(githubEventTypes.filter((type) => type !== wanted));
    expect(readGitHubOccurrence(payload, name, others)).toBeUndefined();
  });
});

const keyed = (name: string, payload: unknown) => readGitHubOccurrence(payload, name, all)!.occurrence!;

const detailsOf = (name: string, payload: Payload): Details => JSON.parse(keyed(name, payload).details) as Details;

describe("what filters compare", () => {
  const repository = "repository 186853002";
  it.each<[string, string, object]>([
    [
      "pull_request",
      "opened",
      {
        key: `${repository} pull request 2 opened ec26c3e57ca3a959ca5aad62de7213c562f8c821`,
        actor: "Codertocat",
        branch: "changes",
        targetBranch: "master",
        labels: [],
      },
    ],
    ["pull_request", "closed", { key: `${repository} pull request 2 closed 2019-05-15T15:21:18Z`, branch: "changes" }],
    ["issues", "opened", { key: `${repository} issue 1 opened`, labels: ["bug"], actor: "Codertocat" }],
    [
      "issues",
      "labeled",
      { key: `${repository} issue 1 labeled "bug" 2019-05-15T15:20:18Z`, labels: ["bug"], addedLabel: "bug" },
    ],
    ["issue_comment", "created", { key: `${repository} comment 492700400`, labels: ["bug"] }],
    [
      "pull_request_review_comment",
      "created",
      { key: `${repository} review comment 284312630`, branch: "changes", targetBranch: "master" },
    ],
    [
      "check_suite",
      "completed",
      { key: `${repository} check suite 118578147`, branch: "changes", conclusion: "success" },
    ],
    [
      "workflow_run",
      "completed",
      {
        key: "repository 283462325 workflow run 1589141559 attempt 1",
        branch: "main",
        workflow: "Manually triggered workflow",
      },
    ],
  ])("of %s %s", (name, action, want) => {
    expect(keyed(name, example(name, action))).toMatchObject(want);
  });

  it("is left out where GitHub has none", () => {
    const suite = example("check_suite", "completed");
    suite.check_suite.head_branch = null;
    suite.check_suite.conclusion = null;
    delete suite.sender;
    expect(Object.keys(keyed("check_suite", suite))).toEqual(["type", "key", "details"]);
  });
});

describe("a second event", () => {
  it.each<[string, string, string, (payload: Payload) => void]>([
    ["of a push", "pull_request", "synchronize", (payload) => void (payload.pull_request.head.sha = "0".repeat(40))],
    [
      "of a pull request that was opened again and closed",
      "pull_request",
      "closed",
      (payload) => void (payload.pull_request.closed_at = "2019-05-16T00:00:00Z"),
    ],
    ["of another label", "issues", "labeled", (payload) => void (payload.label.name = "p1")],
    [
      "of a label that was added again",
      "issues",
      "labeled",
      (payload) => void (payload.issue.updated_at = "2019-05-16T00:00:00Z"),
    ],
    ["of another attempt", "workflow_run", "completed", (payload) => void (payload.workflow_run.run_attempt = 2)],
    ["of another repository", "issues", "opened", (payload) => void (payload.repository.id = 7)],
  ])("%s is another", (_name, name, action, change) => {
    const payload = example(name, action);
    const { key } = keyed(name, payload);
    change(payload);
    expect(keyed(name, payload).key).not.toBe(key);
  });

  it("of the same is the same, whatever else has changed", () => {
    const payload = example("pull_request", "opened");
    const { key } = keyed("pull_request", payload);
    payload.pull_request.title = "Another";
    payload.sender = { login: "bob" };
    expect(keyed("pull_request", payload).key).toBe(key);
  });
});

describe("what the agent sees", () => {
  it("of a pull request is this", () => {
    expect(JSON.parse(keyed("pull_request", example("pull_request", "opened")).details)).toEqual({
      event: "PullRequestOpened",
      repository: "Codertocat/Hello-World",
      by: "Codertocat",
      pullRequest: {
        number: 2,
        title: "Update the README with new information.",
        link: "https://github.com/Codertocat/Hello-World/pull/2",
        author: "Codertocat",
        from: "changes",
        into: "master",
        commit: "ec26c3e57ca3a959ca5aad62de7213c562f8c821",
        state: "open",
        labels: [],
      },
      description: "This is a pretty simple change that we need to pull into master.",
    });
  });

  it.each([
    ["open", {}],
    ["draft", { draft: true }],
    ["merged", { merged: true, state: "closed" }],
    ["closed", { draft: true, state: "closed" }],
  ])("of a pull request that is %s says so", (state, change) => {
    const payload = example("pull_request", "opened");
    Object.assign(payload.pull_request, { draft: false, merged: false }, change);
    expect(detailsOf("pull_request", payload).pullRequest.state).toBe(state);
  });

  it.each([
    [500, 500],
    [501, 500],
  ])("of a description of %i characters is %i", (given, kept) => {
    const payload = example("issues", "opened");
    payload.issue.body = "😀".repeat(given);
    expect(Array.from(detailsOf("issues", payload).description)).toHaveLength(kept);
  });

  it("can be stored where all of it is as long as it can be, of characters that JSON writes as six", () => {
    const payload = example("pull_request_review_comment", "created");
    const long = "\u0001".repeat(70_000);
    payload.sender = { login: long };
    for (const user of [payload.comment.user, payload.pull_request.user]) user.login = long;
    Object.assign(payload.comment, { body: long, diff_hunk: long, path: long, html_url: long });
    Object.assign(payload.pull_request, { title: long, html_url: long, body: long, state: long });
    payload.pull_request.labels = Array.from({ length: 200 }, () => ({ name: long }));
    for (const branch of [payload.pull_request.head, payload.pull_request.base])
      Object.assign(branch, { ref: long, sha: long });
    payload.repository.full_name = "\u0001".repeat(200);
    const event = readGitHubOccurrence(payload, "pull_request_review_comment", all)!;
    expect(event.occurrence!.details.length).toBeGreaterThan(40_000);
    expect(stored(event)).toBe(true);
  });
});

it.each<[string, unknown]>([
  ["no repository", { action: "opened", issue: {} }],
  ["no issue", { action: "opened", repository: { id: 1, full_name: "a/b" } }],
  ["a list", []],
  ["null", null],
  ["a repository of a wrong number", { action: "opened", repository: { id: 0, full_name: "a/b" } }],
])("an event of %s is refused", (_name, payload) => {
  expect(() => readGitHubOccurrence(payload, "issues", all)).toThrow(Refusal);
});

it("of types that no Automation wants nothing is read", () => {
  expect(readGitHubOccurrence(null, "issues", new Set(["PullRequestOpened"]))).toBeUndefined();
  expect(typesAtGitHub(new Set(["PullRequestOpened", "PullRequestClosed", "IssueOpened"]))).toEqual(
    new Set(["pull_request", "issues"]),
  );
});
