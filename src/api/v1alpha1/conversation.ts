import { z } from "zod";
import { observed } from "./conditions.ts";
import { IntegrationReference } from "./integration-event.ts";
import { GitHubCommentType } from "./integration-event-github.ts";
import { ageColumn, column, conditionColumn, defineKind, type ObjectOf } from "./kind.ts";
import { Target } from "./targets.ts";
import { atomicOf, integer, mapOf, text, Time, withTransitionRule } from "./schema.ts";

export const ConversationSpec = withTransitionRule(
  z
    .object({
      integrationRef: IntegrationReference.describe("integrationRef names the Integration that it belongs to."),
      subject: text(200)
        .min(1)
        .describe(
          "subject is what it is about at the provider: issue/ID or agent-session/ID of Linear, thread/CHANNEL/TIME of Slack, issue/REPOSITORY/NUMBER of GitHub; automation/UID/thread/CHANNEL/TIME where a message of the thread fired an Automation.",
        ),
    })
    .describe("ConversationSpec is what the conversation is about."),
  { message: "a conversation's subject cannot change", cel: "self == oldSelf" },
);
export type ConversationSpec = z.infer<typeof ConversationSpec>;

/** Posts of a conversation that are kept; finished ones make room first. */
export const mostPosts = 100;

/** Events whose texts belong to one request, beside its own. */
export const mostEarlierRequests = 10;

/** Signs of life before one answer: those of half a day. */
export const mostSigns = 36;

/** Targets that a question offers at once. */
export const mostSuggestions = 5;

const SlackPlace = z
  .object({
    channelID: text(32).describe(
      "channelID is where the thread is, as Slack names it: C… for a channel, D… for a direct message.",
    ),
    threadTS: text(32).describe("threadTS is the time of the thread's first message."),
    userID: text(32).optional().describe("userID is the one person who sees it, or who may choose."),
    messageTS: text(32)
      .optional()
      .describe("messageTS is the message that it changes or marks; of Started the message that it is shown as."),
    afterTS: text(32).optional().describe("afterTS is the message up to which an earlier prompt had the thread."),
    suggestions: atomicOf(z.array(Target).max(mostSuggestions))
      .optional()
      .describe("suggestions are targets that a Question offers at once, at most 5."),
  })
  .describe("SlackPlace is where a post is shown in Slack, and what is known of it.");

const GitHubPlace = z
  .object({
    repository: text(200).describe("repository is OWNER/NAME, at most 200 characters."),
    number: integer(1).describe("number is that of the issue or pull request."),
    commentID: integer(1).optional().describe("commentID is the number of the comment that asked."),
    commentType: GitHubCommentType.optional(),
  })
  .describe("GitHubPlace is where a post is shown at GitHub.");

const Post = z
  .object({
    id: text(36).describe(
      "id is a UUID that follows from what is posted, by which the provider knows a repeated call.",
    ),
    kind: z
      .enum([
        "Answer",
        "Question",
        "Refusal",
        "StopNotice",
        "StopRefusal",
        "Note",
        "StartIssue",
        "Started",
        "Choice",
        "PrivateNote",
        "Help",
        "Progress",
        "Reaction",
        "ImageNote",
        "PullRequest",
        "Media",
      ])
      .describe(
        "kind is what it is: the Answer of a Prompt, a Question to the person, a Refusal, a StopNotice, a StopRefusal where the work goes on, or a Note; StartIssue moves the issue to its first started state; Started says what a new session works on (at GitHub a reaction), Choice replaces the list of a Question, a PrivateNote is seen by one person, Help answers a request that holds nothing; Progress says in the message of Started what the request is at, a Reaction marks a follow-up until it is done, an ImageNote says which images are left out, PullRequest that the one which a person asked for is open, and Media are the files of an Answer that was posted.",
      ),
    eventUID: text(64).describe("eventUID is the UID of the IntegrationEvent that it answers."),
    requestUIDs: atomicOf(z.array(text(64)).max(mostEarlierRequests))
      .optional()
      .describe(
        "requestUIDs are the UIDs of IntegrationEvents of Linear's whose texts belong to the request, too, the oldest first, at most 10: what was asked before the person was asked what it is about, and answers from which that did not become clear.",
      ),
    agentSessionID: text(64)
      .optional()
      .describe("agentSessionID is the agent session of Linear's at which it is shown."),
    github: GitHubPlace.optional().describe("github is where it is shown at GitHub."),
    slack: SlackPlace.optional().describe("slack is where it is shown in Slack."),
    callTime: Time.optional().describe(
      "callTime is when calls of it began whose outcome is not known; before it is posted again, Slack's thread or GitHub's issue is searched for it.",
    ),
    sessionName: text(63).optional().describe("sessionName is the Session whose Prompt for the event it waits for."),
    promptName: text(63)
      .optional()
      .describe("promptName is the Prompt that it waits for, in the thread of an Automation's Run."),
    signTime: Time.optional().describe(
      "signTime is when people in Linear read next that the request of an Answer is still worked on.",
    ),
    signs: integer(0, mostSigns).optional().describe("signs is how often they were to read so, at most 36 times."),
    text: text(2_000)
      .optional()
      .describe(
        "text is what it says, unless that follows from the Prompt; of Progress and Reaction what is shown now.",
      ),
    progress: z
      .enum(["Waiting", "Pending", "Sent", "Dropped", "GivenUp"])
      .describe(
        "progress is how far it is: Waiting for its Prompt, Pending to be sent, Sent, Dropped as there was no more reason for it, or GivenUp after 5 tries.",
      ),
    tries: integer(0, 5).describe("tries is how many calls have failed, at most 5."),
    nextTryTime: Time.optional().describe("nextTryTime is when it is tried again."),
    problem: text(1_024).optional().describe("problem is why the last try failed, at most 1,024 characters."),
  })
  .describe("Post is something that is posted at the provider.");
export type Post = z.infer<typeof Post>;

/** How far posts are for which nothing is left to do. */
export const finishedProgress: readonly Post["progress"][] = ["Sent", "Dropped", "GivenUp"];

export const ConversationStatus = z
  .object({
    ...observed,
    generation: integer(0, 1_000_000)
      .optional()
      .describe("generation numbers the conversation's Sessions from 1; their names follow from it."),
    sessionName: text(63)
      .optional()
      .describe("sessionName is the Session that follow-ups go to; left out where the next request starts another."),
    runName: text(63)
      .optional()
      .describe("runName is the Automation's Run that the Session is of, where a message fired one."),
    startEventUID: text(64)
      .optional()
      .describe("startEventUID is the UID of the IntegrationEvent that asked for that Session."),
    target: Target.optional().describe("target is what that Session works on."),
    startTime: Time.optional().describe("startTime is when that Session was asked for."),
    expireTime: Time.optional().describe(
      "expireTime is when follow-ups no longer go to it: 7 days after startTime, with requests in Slack after the last follow-up.",
    ),
    lastPromptTS: text(32)
      .optional()
      .describe("lastPromptTS is the message of Slack's up to which prompts have the thread; it only moves forward."),
    lastPromptTime: Time.optional().describe("lastPromptTime is when the last prompt was asked for."),
    posts: mapOf(z.array(Post).max(mostPosts), "id")
      .optional()
      .describe("posts are what is posted at the provider, the oldest first, at most 100."),
  })
  .describe("ConversationStatus is what was observed.");
export type ConversationStatus = z.infer<typeof ConversationStatus>;

export const Conversation = defineKind({
  kind: "Conversation",
  plural: "conversations",
  shortNames: ["rwconv"],
  namespaced: true,
  isRecord: true,
  description:
    "Conversation is an issue at a provider and the Session that works on it. The connector writes it, and deletes it with its Sessions 30 days after the last prompt.",
  spec: ConversationSpec,
  status: ConversationStatus,
  columns: [
    column("Integration", ".spec.integrationRef.name", "The Integration that it belongs to."),
    column("Session", ".status.sessionName", "The Session that follow-ups go to."),
    column("Expires", ".status.expireTime", "When follow-ups no longer go to it."),
    column("Last-Prompt", ".status.lastPromptTime", "When the last prompt was asked for.", { type: "date" }),
    conditionColumn("Ready", "Ready", "status"),
    ageColumn,
    column("Subject", ".spec.subject", "What it is about.", { priority: 1 }),
    conditionColumn("Message", "Ready", "message"),
  ],
});
export type Conversation = ObjectOf<typeof ConversationSpec, typeof ConversationStatus>;
