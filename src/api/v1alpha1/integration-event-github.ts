import { z } from "zod";
import { githubEventTypes } from "./github-trigger.ts";
import { atomicOf, integer, text } from "./schema.ts";

const Actor = z
  .object({
    id: integer(1).describe("id is the user's number at GitHub."),
    login: text(100).describe("login is the user's name at GitHub."),
  })
  .describe("GitHubActor is who asked.");

const GitHubRepository = z
  .object({
    id: integer(1).describe("id is the repository's number, which stays when it is renamed."),
    name: text(200).describe("name is OWNER/NAME, at most 200 characters."),
  })
  .describe("GitHubRepository is the repository of an event.");

export const GitHubCommentType = z
  .enum(["Comment", "ReviewComment"])
  .describe("commentType is where the comment is: in the conversation, or a ReviewComment on a line of the changes.");

/** What Automations of type GitHub are held against, and what their agents see. */
const Occurrence = z
  .object({
    type: z.enum(githubEventTypes).describe("type is what happened."),
    key: text(1_000).describe("key identifies what happened: a second event of this key starts no second Run."),
    actor: text(100).optional().describe("actor is the login of who caused it; left out where GitHub names none."),
    branch: text(255).optional().describe("branch is the pull request's own branch, or that of the checks."),
    targetBranch: text(255).optional().describe("targetBranch is the branch that the pull request goes into."),
    labels: atomicOf(z.array(text(100)).max(100))
      .optional()
      .describe("labels are those of the issue or pull request, at most 100."),
    addedLabel: text(100).optional().describe("addedLabel is the label that was added."),
    conclusion: text(64).optional().describe("conclusion is how the checks ended, in GitHub's words."),
    workflow: text(255).optional().describe("workflow is the name of the workflow that ran."),
    details: text(65_536).describe("details is what the agent sees of it, as JSON, at most 65,536 characters."),
  })
  .describe("GitHubOccurrence is what happened at GitHub.");
export type GitHubOccurrence = z.infer<typeof Occurrence>;

/** What is kept of an event of GitHub's: for Automations what they see of it; for all else the connector reads texts from GitHub itself. */
export const GitHubEvent = z
  .object({
    action: z
      .enum(["Asked", "Changed", "Reviewed", "Commented", "Occurred", "Test"])
      .describe(
        "action is what happened: a person Asked for work; a pull request Changed, was Reviewed, or was Commented on; something Occurred that Automations may start Runs for; Test is a sample of kubectl runwright integration test.",
      ),
    repository: GitHubRepository.optional().describe("repository is where it happened."),
    number: integer(1).optional().describe("number is that of the issue or pull request."),
    subjectType: z
      .enum(["Issue", "PullRequest"])
      .optional()
      .describe("subjectType is what number is of: an Issue or a PullRequest."),
    commentID: integer(1).optional().describe("commentID is the number of the comment."),
    commentType: GitHubCommentType.optional(),
    reviewID: integer(1).optional().describe("reviewID is the number of the review."),
    actor: Actor.optional().describe("actor is who asked."),
    occurrence: Occurrence.optional().describe("occurrence is what Occurred."),
  })
  .describe("GitHubEvent is what is kept of an event of GitHub's.");
export type GitHubEvent = z.infer<typeof GitHubEvent>;
