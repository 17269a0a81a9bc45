import { z } from "zod";
import { imageLimits, imageMediaTypes } from "./prompt-image.ts";
import { atomicOf, integer, longestEventText, matching, text } from "./schema.ts";

/** Limits of messages that people forward with a request. */
export const forwardedLimits = {
  perRequest: 10,
  /** The mark of a cut included. */
  characters: 4_000,
} as const;

/** Slack's times: seconds and microseconds, which no floating-point number holds. */
const SlackTime = matching(
  text(32),
  /^[0-9]{1,16}\.[0-9]{1,9}$/,
  "must be a time of Slack's, such as 1767225600.123456",
);

/** Characters that a hash of a view of Slack's may have; Slack's own have about 20. */
export const longestViewHash = 100;

const Actor = z
  .object({
    id: text(32).describe("id is the user's id in Slack."),
    teamID: text(32).optional().describe("teamID is the user's workspace, where Slack names it."),
  })
  .describe("SlackActor is who asked.");

const Forwarded = z
  .object({
    text: text(forwardedLimits.characters).describe("text is the forwarded message, at most 4,000 characters."),
    author: text(200).optional().describe("author is who wrote it, at most 200 characters."),
    channel: text(200).optional().describe("channel is the channel that it was in, at most 200 characters."),
    channelID: text(32).optional().describe("channelID is how Slack names that channel, such as C024BE91L."),
    ts: SlackTime.optional().describe("ts is when it was written."),
    link: text(1_000).optional().describe("link leads to it, at most 1,000 characters."),
  })
  .describe("Forwarded is a message that a person forwarded with a request.");
export type Forwarded = z.infer<typeof Forwarded>;

const SlackFile = z
  .object({
    url: text(1_000).describe(
      "url is the address that the connector downloads the file from, at most 1,000 characters.",
    ),
    mediaType: z.enum(imageMediaTypes).describe("mediaType is the format that Slack says it has."),
    size: integer(0)
      .optional()
      .describe("size is how many bytes Slack says it has; left out where Slack does not say."),
    name: text(imageLimits.fileNameCharacters)
      .optional()
      .describe("name is the file's name for people, at most 255 characters."),
  })
  .describe("SlackFile is an image of a message, which the connector fetches from Slack.");
export type SlackFile = z.infer<typeof SlackFile>;

const Choice = z
  .object({
    postID: text(36).describe("postID is the id of the Post that asked."),
    value: text(80).describe(
      "value is what was chosen, repository/NAME or environment/NAME; of PullRequestAsked the name of the Conversation.",
    ),
    messageTS: SlackTime.describe("messageTS is the time of the message with the list or button."),
  })
  .describe("Choice is what a person chose from the list of a Question, or the Answer whose button was pressed.");

/** What is kept of an event or an interaction of Slack's. */
export const SlackEvent = z
  .object({
    action: z
      .enum(["Asked", "Chosen", "PullRequestAsked", "Said", "HomeOpened", "Revoked", "Test"])
      .describe(
        "action is what happened: a person Asked for work, or has Chosen what a request is about; PullRequestAsked means that a person pressed the button of an answer; a person Said something in a channel, which Automations may start Runs for; HomeOpened means that a person opened the Home tab of the app; the app was removed or its tokens were Revoked; Test is a sample of kubectl runwright integration test.",
      ),
    channelID: text(32).describe("channelID is the channel's id; empty where the event is of none."),
    threadTS: SlackTime.optional().describe("threadTS is the time of the thread's first message."),
    ts: SlackTime.optional().describe("ts is the message's own time."),
    channelType: z
      .enum(["Channel", "Direct"])
      .optional()
      .describe("channelType is Direct for direct messages; left out, a Channel."),
    actor: Actor.optional().describe("actor is who asked or chose."),
    text: text(longestEventText)
      .optional()
      .describe(
        "text is what the person wrote, without the mention, at most 64,000 characters; of what was Said in a channel at most 8,192, as it was written.",
      ),
    forwarded: atomicOf(z.array(Forwarded).max(forwardedLimits.perRequest))
      .optional()
      .describe("forwarded are messages that the person forwarded with it, at most 10."),
    files: atomicOf(z.array(SlackFile).max(imageLimits.perPrompt))
      .optional()
      .describe("files are the first 6 images of the message, then of those forwarded with it."),
    moreFiles: integer(1, 1_000)
      .optional()
      .describe("moreFiles is how many further images there were, at most 1,000; none of them is fetched."),
    choice: Choice.optional().describe("choice is what was chosen, or whose button was pressed."),
    viewHash: text(longestViewHash)
      .optional()
      .describe(
        "viewHash is Slack's hash of the view that the Home tab showed when it was opened, at most 100 characters; left out where it showed none.",
      ),
  })
  .describe("SlackEvent is what is kept of an event of Slack's.");
export type SlackEvent = z.infer<typeof SlackEvent>;
