import { z } from "zod";
import { observed } from "./conditions.ts";
import { IntegrationReference } from "./integration-event.ts";
import { ageColumn, column, conditionColumn, defineKind, type ObjectOf } from "./kind.ts";
import { integer, LabelName, LocalReference, mapOf, text, Time, Uid, withTransitionRule } from "./schema.ts";

export const PullRequestSpec = withTransitionRule(
  z
    .object({
      integrationRef: IntegrationReference.describe(
        "integrationRef names the Integration whose App opens it, and whose events keep it up to date.",
      ),
      sessionRef: z
        .object({
          name: LabelName.describe("name is which Session of the namespace pushed the branch, at most 63 characters."),
          uid: Uid.describe("uid tells the Session from a later one of the same name."),
        })
        .describe("sessionRef names the Session whose agent pushed the branch."),
      repositoryRef: LocalReference.describe("repositoryRef names the Repository that the branch was pushed to."),
      repository: text(200)
        .min(1)
        .describe("repository is OWNER/NAME at GitHub in lower case, at most 200 characters."),
      head: text(255).min(1).describe("head is the branch that was pushed, at most 255 characters."),
      base: text(255).min(1).describe("base is the branch that it is to be merged into, at most 255 characters."),
      title: text(200).describe("title is what people see in lists of pull requests, at most 200 characters."),
      body: text(4_096).describe(
        "body is what the agent wants as the text, else what it said of its work, at most 4,096 characters.",
      ),
      openAs: z
        .enum(["Draft", "Ready"])
        .describe("openAs is what it is opened as: a Draft, which asks no person for a review yet, or Ready for one."),
    })
    .describe("PullRequestSpec is the pull request that was asked for."),
  { message: "a pull request that was asked for cannot change", cel: "self == oldSelf" },
);
export type PullRequestSpec = z.infer<typeof PullRequestSpec>;

export const PullRequestState = z
  .enum(["Draft", "Open", "Merged", "Closed"])
  .describe("githubState is what GitHub last said of it: Draft, Open, Merged, or Closed without a merge.");

/** Feedback that is kept; what is answered makes room first. */
export const mostFeedback = 1_000;

const Feedback = z
  .object({
    id: text(36).describe("id is a UUID that follows from the feedback, by which its answer at GitHub is known."),
    kind: z
      .enum(["Review", "Comment"])
      .describe("kind is what it is: a Review with its line comments, or a Comment in the conversation."),
    objectID: integer(1).describe("objectID is the number of the review or comment at GitHub."),
    eventUID: text(64).describe("eventUID is the UID of the IntegrationEvent that brought it."),
    admittedTime: Time.describe("admittedTime is when it was admitted; for 24 hours it counts as an attempt."),
    promptName: text(63).describe("promptName is the Prompt that it became."),
    progress: z
      .enum(["Waiting", "Sent", "Dropped", "GivenUp"])
      .describe(
        "progress is how far its answer is: Waiting for the Prompt, Sent as a comment, Dropped as the Prompt was deleted or could not be made, or GivenUp after 5 tries.",
      ),
    callTime: Time.optional().describe(
      "callTime is when a call began that was to answer and whose outcome is not known; before the next, GitHub is searched for the answer.",
    ),
    tries: integer(0, 5).optional().describe("tries is how many calls to answer have failed, at most 5."),
    nextTryTime: Time.optional().describe("nextTryTime is when the answer is tried again."),
    problem: text(1_024).optional().describe("problem is why the last call failed, at most 1,024 characters."),
  })
  .describe("Feedback is a review or comment that became a Prompt.");
export type TrackedFeedback = z.infer<typeof Feedback>;

/** Skipped feedback that is kept. */
export const mostSkips = 50;

const Skip = z
  .object({
    id: text(36).describe("id is a UUID that follows from the feedback; the same feedback is in the list once."),
    kind: Feedback.shape.kind,
    objectID: Feedback.shape.objectID,
    eventUID: text(64).describe("eventUID is the UID of the IntegrationEvent that brought it."),
    time: Time.describe("time is when it was skipped."),
    reason: text(64).describe("reason is the check that stopped it, such as AutofixDisabled."),
    message: text(1_024).describe("message says it in a sentence, at most 1,024 characters."),
  })
  .describe("Skip is feedback that was skipped, and why.");
export type SkippedFeedback = z.infer<typeof Skip>;

export const PullRequestStatus = z
  .object({
    ...observed,
    callTime: Time.optional().describe(
      "callTime is when a call began that was to open it and whose outcome is not known; before the next call, GitHub is searched for it.",
    ),
    tries: integer(0, 5).optional().describe("tries is how many calls to open it have failed, at most 5."),
    nextTryTime: Time.optional().describe("nextTryTime is when it is tried again to open it."),
    repositoryID: integer(1)
      .optional()
      .describe("repositoryID is the repository's number at GitHub, which stays when it is renamed."),
    repository: text(200)
      .optional()
      .describe(
        "repository is OWNER/NAME at GitHub in lower case as its latest event has it; left out where it is that of the spec.",
      ),
    number: integer(1).optional().describe("number is that of the pull request; left out before it is open."),
    url: text(1_024).optional().describe("url is its page at GitHub."),
    githubState: PullRequestState.optional(),
    updateTime: Time.optional().describe(
      "updateTime is GitHub's time of the change that githubState is of; what is older moves it no more.",
    ),
    mergeTime: Time.optional().describe("mergeTime is when it was merged, as GitHub says it."),
    requestedAt: text(64)
      .optional()
      .describe(
        "requestedAt is the last value of the annotation runwright.dev/pull-request-requested-at, on a Prompt that reported the branch, that was followed.",
      ),
    prompted: integer(0).optional().describe("prompted is how much feedback became a Prompt in all."),
    feedback: mapOf(z.array(Feedback).max(mostFeedback), "id")
      .optional()
      .describe("feedback is what became a Prompt, the oldest first, at most 1,000."),
    skipped: integer(0).optional().describe("skipped is how much feedback was skipped in all."),
    skips: mapOf(z.array(Skip).max(mostSkips), "id")
      .optional()
      .describe("skips is feedback that was skipped and the check that stopped it, the latest first, at most 50."),
  })
  .describe("PullRequestStatus is what was observed.");
export type PullRequestStatus = z.infer<typeof PullRequestStatus>;

export const PullRequest = defineKind({
  kind: "PullRequest",
  plural: "pullrequests",
  shortNames: ["rwpr"],
  namespaced: true,
  isRecord: true,
  description:
    "PullRequest is a pull request at GitHub for a branch that a Session's agent pushed. The connector writes it, opens the pull request once, and keeps its state; it goes with its Session.",
  spec: PullRequestSpec,
  status: PullRequestStatus,
  selectableFields: [".spec.head", ".spec.sessionRef.name"],
  columns: [
    column("Repository", ".spec.repository", "Where it is: OWNER/NAME at GitHub."),
    column("Number", ".status.number", "The number that people call it by.", { type: "integer" }),
    column("State", ".status.githubState", "What GitHub last said of it."),
    column("Prompted", ".status.prompted", "How much feedback became a Prompt.", { type: "integer" }),
    column("Last Skip", ".status.skips[0].reason", "The check that stopped the feedback that was skipped last."),
    column("Session", ".spec.sessionRef.name", "The Session whose agent pushed the branch."),
    conditionColumn("Ready", "Ready", "status"),
    conditionColumn("Reason", "Ready", "reason"),
    ageColumn,
    column("URL", ".status.url", "Its page at GitHub.", { priority: 1 }),
    column("Head", ".spec.head", "The branch that was pushed.", { priority: 1 }),
    conditionColumn("Message", "Ready", "message"),
  ],
});
export type PullRequest = ObjectOf<typeof PullRequestSpec, typeof PullRequestStatus>;
