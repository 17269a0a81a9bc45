import { z } from "zod";
import { atomicOf, celList, integer, LocalReference, matching, type Rule, setOf, text, withRules } from "./schema.ts";

/** Events of GitHub's that can start Runs. */
export const githubEventTypes = [
  "PullRequestOpened",
  "PullRequestUpdated",
  "PullRequestClosed",
  "IssueOpened",
  "IssueLabeled",
  "IssueCommented",
  "ReviewCommented",
  "CheckSuiteCompleted",
  "WorkflowRunCompleted",
] as const;
export type GitHubEventType = (typeof githubEventTypes)[number];

/** How a check suite or a workflow run can end, in GitHub's words. */
const conclusions = [
  "success",
  "failure",
  "neutral",
  "cancelled",
  "timed_out",
  "action_required",
  "stale",
  "skipped",
] as const;

const Actor = matching(
  text(100),
  /^[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?(?:\[bot\])?$/,
  "must be a login at GitHub, such as octocat or dependabot[bot]",
);
const Pattern = text(255).min(1);
const Label = text(100).min(1);

const patterns =
  "* stands for any characters but a slash, ** for any at all; at most 64 of 255 characters, compared with case";

const GitHubTriggerFields = z
  .object({
    integrationRef: LocalReference.describe(
      "integrationRef names the Integration of type GitHub whose events count; the Automation's target must be one of its github.repositories.",
    ),
    events: setOf(z.array(z.enum(githubEventTypes)).min(1).max(githubEventTypes.length)).describe(
      "events are what starts Runs. At least one.",
    ),
    from: z
      .enum(["Writers", "Anyone"])
      .default("Writers")
      .describe(
        "from is whose events start Runs: of Writers, who may write to the repository, and of bots that actors names; or of Anyone who can cause one, in a public repository everybody. Defaults to Writers.",
      ),
    actors: atomicOf(z.array(Actor).max(100))
      .default([])
      .describe(
        "actors are the logins of those who must have caused the event, compared without case, at most 100. Defaults to all.",
      ),
    ignoredActors: atomicOf(z.array(Actor).max(100))
      .default([])
      .describe(
        "ignoredActors are the logins of those whose events start nothing, compared without case, at most 100. Defaults to none.",
      ),
    branches: atomicOf(z.array(Pattern).max(64))
      .default([])
      .describe(
        `branches are patterns of which one must match the pull request's own branch, or the branch of the checks: ${patterns}. Defaults to all.`,
      ),
    targetBranches: atomicOf(z.array(Pattern).max(64))
      .default([])
      .describe(
        `targetBranches are patterns of which one must match the branch that the pull request goes into: ${patterns}. Defaults to all.`,
      ),
    labels: atomicOf(z.array(Label).max(64))
      .default([])
      .describe(
        "labels are those of which the issue or pull request must have one, with IssueLabeled the one that was added; compared without case, at most 64 of 100 characters. Defaults to all.",
      ),
    withoutLabels: atomicOf(z.array(Label).max(64))
      .default([])
      .describe(
        "withoutLabels are those of which the issue or pull request may have none, compared without case, at most 64 of 100 characters. Defaults to none.",
      ),
    conclusions: atomicOf(z.array(z.enum(conclusions)).max(conclusions.length))
      .default([])
      .describe("conclusions are how the check suite or workflow run must have ended. Defaults to all."),
    workflows: atomicOf(z.array(Pattern).max(64))
      .default([])
      .describe(
        "workflows are the names of workflows, compared exactly, at most 64 of 255 characters. Defaults to all.",
      ),
    maxUnfinishedRuns: integer(1, 10_000)
      .default(100)
      .describe(
        "maxUnfinishedRuns is the number of unfinished Runs from which on events wait, for an hour at most, 1 to 10,000. Defaults to 100.",
      ),
  })
  .describe("GitHubTrigger is the trigger by events of GitHub's that come to an Integration.");

type Filter = "branches" | "targetBranches" | "labels" | "conclusions" | "workflows";

const ofPullRequests = ["PullRequestOpened", "PullRequestUpdated", "PullRequestClosed", "ReviewCommented"] as const;
const ofChecks = ["CheckSuiteCompleted", "WorkflowRunCompleted"] as const;

/** Which events have what a filter compares; those of other types never match it. */
const carriers: Readonly<Record<Filter, readonly GitHubEventType[]>> = {
  branches: [...ofPullRequests, ...ofChecks],
  targetBranches: ofPullRequests,
  labels: [...ofPullRequests, "IssueOpened", "IssueLabeled", "IssueCommented"],
  conclusions: ofChecks,
  workflows: ["WorkflowRunCompleted"],
};

/** A filter that no wanted event can match is a mistake. */
const rules = Object.entries(carriers).map(([filter, types]): Rule<z.output<typeof GitHubTriggerFields>> => ({
  message: `${filter} needs one of ${types.join(", ")} among events; others never match it`,
  cel: `size(self.${filter}) == 0 || self.events.exists(one, one in ${celList(types)})`,
  check: (trigger) => trigger[filter as Filter].length === 0 || trigger.events.some((type) => types.includes(type)),
  fieldPath: `.${filter}`,
}));

export const GitHubTrigger = withRules(GitHubTriggerFields, rules);
export type GitHubTrigger = z.infer<typeof GitHubTrigger>;
