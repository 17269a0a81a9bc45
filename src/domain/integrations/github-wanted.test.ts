import { describe, expect, it } from "vitest";

import { type GitHubOccurrence, GitHubTrigger, githubEventTypes } from "../../api/v1alpha1/index.ts";
import { mismatchOf, needsPermission } from "./github-wanted.ts";

const slug = "helper";
const base = { type: "PullRequestOpened", key: "k", actor: "ann", details: "{}" } as const;

/** Why an event starts nothing, of an Automation that wants all types where it says none. */
function judged(trigger: object, occurrence: Partial<GitHubOccurrence> = {}): string | undefined {
  const settings = GitHubTrigger.parse({ integrationRef: { name: "github" }, events: githubEventTypes, ...trigger });
  return mismatchOf({ ...base, ...occurrence }, settings, slug);
}

describe("an event is wanted", () => {
  it.each<[string, object, Partial<GitHubOccurrence>]>([
    ["without filters", {}, {}],
    ["of a branch", { branches: ["main", "fix/*"] }, { branch: "fix/login" }],
    ["of a target branch", { targetBranches: ["release/**"] }, { targetBranch: "release/1/2" }],
    ["of a label, whatever its case", { labels: ["Bug", "other"] }, { labels: ["x", "bUG"] }],
    [
      "of the label that was added",
      { labels: ["bug"] },
      { type: "IssueLabeled", labels: ["bug", "x"], addedLabel: "BUG" },
    ],
    ["without a label", { withoutLabels: ["wip"] }, { labels: ["bug"] }],
    ["without a label where it has none", { withoutLabels: ["wip"] }, {}],
    ["of an actor, whatever the case", { actors: ["ANN"] }, { actor: "Ann" }],
    ["of another actor than the ignored", { ignoredActors: ["bob"] }, {}],
    ["of a bot that is named", { actors: ["dependabot[bot]"] }, { actor: "dependabot[bot]" }],
    ["of a bot, from anyone", { from: "Anyone" }, { actor: "dependabot[bot]" }],
    ["of the App itself, where it is named", { actors: ["helper[bot]"] }, { actor: "helper[bot]" }],
    ["of a person who is called like the App", {}, { actor: "helper" }],
    ["of no actor, from anyone", { from: "Anyone" }, { actor: undefined }],
    [
      "of a conclusion",
      { conclusions: ["failure", "timed_out"] },
      { type: "CheckSuiteCompleted", conclusion: "timed_out" },
    ],
    ["of a workflow", { workflows: ["CI"] }, { type: "WorkflowRunCompleted", workflow: "CI" }],
  ])("%s", (_name, trigger, occurrence) => {
    expect(judged(trigger, occurrence)).toBeUndefined();
  });
});

describe("an event is not wanted", () => {
  it.each<[string, object, Partial<GitHubOccurrence>, string]>([
    [
      "of another type",
      { events: ["IssueOpened"] },
      {},
      "the event is PullRequestOpened, but must be one of IssueOpened",
    ],
    ["of another branch", { branches: ["main"] }, { branch: "Main" }, 'the branch is "Main", but must be one of main'],
    ["of no branch", { branches: ["**"] }, {}, "the event has no branch, but must be one of **"],
    ["of another target", { targetBranches: ["main"] }, { targetBranch: "next" }, 'the target branch is "next", but'],
    ["of no target", { targetBranches: ["main"] }, {}, "the event has no target branch"],
    ["without labels", { labels: ["bug"] }, {}, "no label of the event's is one of bug"],
    ["of other labels", { labels: ["bug"] }, { labels: ["bugs"] }, "no label of the event's is one of bug"],
    [
      "of another label that was added",
      { labels: ["bug"] },
      { type: "IssueLabeled", labels: ["bug", "x"], addedLabel: "x" },
      "no label of the event's is one of bug",
    ],
    ["with a label", { withoutLabels: ["WIP"] }, { labels: ["a", "wip"] }, 'it has the label "wip"'],
    ["of another actor", { actors: ["bob"] }, {}, 'the actor is "ann", but must be one of bob'],
    ["of no actor, of those", { from: "Anyone", actors: ["bob"] }, { actor: undefined }, "GitHub does not say who"],
    [
      "of no actor, not of those",
      { from: "Anyone", ignoredActors: ["bob"] },
      { actor: undefined },
      "GitHub does not say",
    ],
    ["of no actor, of writers", {}, { actor: undefined }, "GitHub does not say who"],
    ["of an ignored actor", { ignoredActors: ["ANN"] }, {}, "events of ann are ignored"],
    ["of an ignored actor that is named, too", { actors: ["ann"], ignoredActors: ["ann"] }, {}, "events of ann are"],
    ["of a bot", {}, { actor: "dependabot[bot]" }, "dependabot[bot] is a bot, which actors must name"],
    ["of the App itself", { from: "Anyone" }, { actor: "Helper[bot]" }, "Helper[bot] is the App itself"],
    ["of another conclusion", { conclusions: ["failure"] }, { conclusion: "success" }, 'the conclusion is "success"'],
    ["of no conclusion", { conclusions: ["failure"] }, {}, "the event has no conclusion"],
    ["of a workflow's name in another case", { workflows: ["CI"] }, { workflow: "ci" }, 'the workflow is "ci"'],
  ])("%s", (_name, trigger, occurrence, problem) => {
    expect(judged(trigger, occurrence)).toContain(problem);
  });
});

it.each<[string, object, string, boolean]>([
  ["a person", {}, "ann", true],
  ["a person who is named", { actors: ["ann"] }, "ann", true],
  ["anyone", { from: "Anyone" }, "ann", false],
  ["a bot that is named", { actors: ["Dependabot[bot]"] }, "dependabot[bot]", false],
])("of %s GitHub is asked for the permission to write: %j", (_name, trigger, actor, want) => {
  const settings = GitHubTrigger.parse({ integrationRef: { name: "g" }, events: ["IssueOpened"], ...trigger });
  expect(needsPermission({ ...base, actor }, settings)).toBe(want);
});

describe("a filter that no wanted event can match is refused", () => {
  it.each<[string, object, string[]]>([
    ["branches", { branches: ["main"] }, ["IssueOpened", "IssueLabeled", "IssueCommented"]],
    ["targetBranches", { targetBranches: ["main"] }, ["IssueCommented", "CheckSuiteCompleted"]],
    ["labels", { labels: ["bug"] }, ["CheckSuiteCompleted", "WorkflowRunCompleted"]],
    ["conclusions", { conclusions: ["failure"] }, ["PullRequestOpened"]],
    ["workflows", { workflows: ["CI"] }, ["CheckSuiteCompleted"]],
  ])("%s", (field, filter, events) => {
    const { error } = GitHubTrigger.safeParse({ integrationRef: { name: "g" }, events, ...filter });
    expect(error?.issues).toMatchObject([{ path: [field] }]);
    expect(error?.issues[0]?.message).toContain(`${field} needs one of`);
    const all = [...events, "ReviewCommented", "WorkflowRunCompleted"];
    const wider = { integrationRef: { name: "g" }, events: [...new Set(all)], ...filter };
    expect(GitHubTrigger.safeParse(wider).success).toBe(true);
  });
});
