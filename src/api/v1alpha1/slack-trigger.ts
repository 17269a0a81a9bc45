import { z } from "zod";
import { SlackChannelId } from "./integration-slack.ts";
import { atomicOf, integer, LocalReference, matching, setOf, text, withRule } from "./schema.ts";
import { TextCondition } from "./text-condition.ts";

/** Longest message that can fire an Automation, in characters. */
export const longestChannelMessage = 8_192;

const SlackUserId = matching(text(32), /^[UW][A-Z0-9]+$/, "must be the id of a Slack user, such as U0123ABCD");

/** Most regular expressions among the texts of an Automation: each may take some four million steps for a message. */
const mostExpressions = 3;

const Texts = withRule(z.array(TextCondition).max(10), {
  message: `must have at most ${mostExpressions} regular expressions`,
  cel: `self.filter(one, one.operator == 'RegularExpression').size() <= ${mostExpressions}`,
  check: (texts) => texts.filter(({ operator }) => operator === "RegularExpression").length <= mostExpressions,
});

export const SlackTrigger = z
  .object({
    integrationRef: LocalReference.describe(
      "integrationRef names the Integration of type Slack to which the messages come.",
    ),
    channels: setOf(z.array(SlackChannelId).min(1).max(100)).describe(
      "channels are the ids of the channels whose messages count, such as C024BE91L; the app must be a member of them. 1 to 100.",
    ),
    from: z
      .enum(["Listed", "Members"])
      .default("Listed")
      .describe(
        "from is whose messages start Runs and reach their sessions: of those who are Listed in the Integration's access, or of all Members of the workspace. Defaults to Listed.",
      ),
    users: atomicOf(z.array(SlackUserId).max(100))
      .default([])
      .describe("users are the ids of those who must have written the message, at most 100. Defaults to all."),
    ignoredUsers: atomicOf(z.array(SlackUserId).max(100))
      .default([])
      .describe("ignoredUsers are the ids of those whose messages start nothing, at most 100. Defaults to none."),
    texts: atomicOf(Texts)
      .default([])
      .describe(
        "texts are what the message's text must match, all of them, at most 10, of which 3 may be regular expressions. Defaults to none.",
      ),
    maxUnfinishedRuns: integer(1, 10_000)
      .default(100)
      .describe(
        "maxUnfinishedRuns is the number of unfinished Runs from which on messages wait, for an hour at most, 1 to 10,000. Defaults to 100.",
      ),
  })
  .describe(
    "SlackTrigger is the trigger by messages of people in channels of Slack. A reply in the thread of a Run goes to the Run's session instead, for 7 days.",
  );
export type SlackTrigger = z.infer<typeof SlackTrigger>;
