import { z } from "zod";
import { Invocation } from "../automations/answers.ts";
import { Count, Instant, MaybeInstant, paging, trimming } from "../http/answers.ts";
import { groupings, scopes } from "./inputs.ts";

const Amount = z.string().describe("US dollars as decimal text, such as 2.5.");

const CompletionRate = z
  .number()
  .min(0)
  .max(1)
  .nullable()
  .describe("Completed by completed, failed and cancelled; null where nothing has ended.");

const Outcomes = { completed: Count, failed: Count, cancelled: Count };
const inWords = "Outcomes of last prompts, also of sessions that are active again or gone.";

const statuses = ["created", "active", "completed", "failed", "cancelled", "archived"] as const;

export const Summary = z
  .object({
    totalSessions: Count,
    activeUsers: Count.describe(
      "Different people who sent a session its first prompt, as far as the gateway knows them.",
    ),
    totalMessages: Count.describe("Prompts that wait or have ended."),
    totalCostUsd: Amount,
    avgCostUsd: Amount.describe("A session's, rounded down to a millionth; 0 without sessions."),
    statusBreakdown: z
      .object({ created: Count, active: Count, completed: Count, failed: Count, cancelled: Count, archived: Count })
      .describe(
        "Each session once: archived when its object is gone, else active, else the outcome of its last prompt.",
      ),
    outcomes: z.object(Outcomes).describe(inWords),
    completionRate: CompletionRate,
  })
  .meta({ id: "AnalyticsSummary" });
export type Summary = z.output<typeof Summary>;

const GroupShape = {
  key: z
    .string()
    .nullable()
    .describe("User name, name of the Repository or UID of the Automation; null where there is none."),
  namespace: z.string().nullable().describe("Of the Repository or Automation; null for users."),
  displayName: z.string().describe("The name, or Unknown user, No repository or No automation."),
};

export const Series = z
  .object({
    by: z.enum(groupings),
    groups: z
      .array(z.object({ ...GroupShape, sessions: Count }))
      .describe("The groups with most sessions, 20 at most, most sessions first."),
    series: z
      .array(
        z.object({
          date: z.iso.date().describe("A UTC day."),
          sessions: Count,
          costUsd: Amount,
          groups: z.array(Count).describe("Sessions of each of the groups, in their order."),
          others: Count.describe("Sessions of all other groups."),
        }),
      )
      .describe(
        "Every UTC day that the window touches, by creation, oldest first; the first and the last one in part.",
      ),
  })
  .meta({ id: "AnalyticsSeries" });
export type Series = z.output<typeof Series>;

export const Breakdown = z
  .object({
    by: z.enum(groupings),
    entries: z
      .array(
        z.object({
          ...GroupShape,
          sessions: Count,
          ...Outcomes,
          completionRate: CompletionRate,
          costUsd: Amount,
          messageCount: Count.describe("Prompts that wait or have ended."),
          avgDurationMs: Count.nullable().describe(
            "Milliseconds from the creation of a session until it was idle or gone; null where none is.",
          ),
          lastActiveAt: MaybeInstant.describe(
            "When a session of it was created or went idle last, and now while one is active; null where key is.",
          ),
        }),
      )
      .describe(`Most sessions first, then by name. ${inWords}`),
    hasMore: z.boolean().describe("Whether there are more groups than the limit."),
  })
  .meta({ id: "AnalyticsBreakdown" });
export type Breakdown = z.output<typeof Breakdown>;

const CreatedAndMerged = {
  created: Count.describe("Pull requests that were created in the window."),
  merged: Count.describe("Pull requests that were merged in the window, whenever they were created."),
};

export const PullRequests = z
  .object({
    funnel: z
      .object({ created: Count, draft: Count, open: Count, merged: Count, closed: Count })
      .describe(
        "Pull requests that were created in the window, and their last known state; closed are those without a merge.",
      ),
    acceptanceRate: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe("Merged by merged and closed, of those that were created in the window; null where there is neither."),
    costUsd: Amount.describe("Cost of the sessions whose first pull request was created in the window."),
    costPerMergedUsd: Amount.nullable().describe(
      "That cost by the pull requests of the window that were merged, rounded down to a millionth; null without one.",
    ),
    mergedInWindow: CreatedAndMerged.merged,
    avgTimeToMergeMs: Count.nullable().describe(
      "Milliseconds from creation to merge, of those that were merged in the window; null without one.",
    ),
    openNow: z
      .object({ draft: Count, open: Count })
      .describe("Pull requests that are open now, whenever they were created, while their PullRequest is there."),
    bySource: z
      .array(
        z.object({
          startedBy: z
            .enum(Object.keys(scopes) as [keyof typeof scopes])
            .nullable()
            .describe("Who started the session; null where the archive has never seen it."),
          ...CreatedAndMerged,
        }),
      )
      .describe("People, automations and agents, also without one; others where there is one."),
    byRepository: z
      .array(
        z.object({
          namespace: z.string(),
          repository: z.string().describe("Name of the Repository."),
          ...CreatedAndMerged,
        }),
      )
      .describe("Most created first, then most merged, then by name."),
    hasMore: z.boolean().describe("Whether there are more Repositories than the limit."),
    series: z
      .array(z.object({ date: z.iso.date().describe("A UTC day."), ...CreatedAndMerged }))
      .describe("Every UTC day that the window touches, oldest first; the first and the last one in part."),
  })
  .meta({ id: "AnalyticsPullRequests" });
export type PullRequests = z.output<typeof PullRequests>;

const ArchivedSession = z
  .object({
    id: z.string().describe("<namespace>.<name>"),
    namespace: z.string(),
    name: z.string().describe("The title, else the object's name."),
    startedBy: z.enum(Object.keys(scopes) as [keyof typeof scopes]).describe("Who started it."),
    status: z.enum(statuses).describe("Archived when its object is gone, else active, else the last outcome."),
    outcome: z.enum(["completed", "failed", "cancelled"]).nullable().describe("Of its last ended prompt."),
    requestedBy: z.string().nullable().describe("User name of who sent its first prompt."),
    repository: z.string().nullable().describe("Name of its primary Repository."),
    messageCount: Count.describe("Prompts that wait or have ended."),
    costUsd: Amount,
    createdAt: Instant,
    idleAt: MaybeInstant.describe("Since when it is idle; null while it is at work."),
    goneAt: MaybeInstant.describe("When the archive saw that its object had been deleted; null while it is there."),
  })
  .meta({ id: "ArchivedSession" });
export type ArchivedSession = z.output<typeof ArchivedSession>;

export const ArchivedRunPage = z.object({ invocations: z.array(Invocation), ...paging, ...trimming });
export const ArchivedSessionPage = z.object({ sessions: z.array(ArchivedSession), ...paging, ...trimming });
