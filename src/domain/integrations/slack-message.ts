import { z } from "zod";

import { longestChannelMessage, type SlackEvent } from "../../api/v1alpha1/index.ts";
import { countCharacters } from "../../lib/characters.ts";
import { readAs } from "./read-as.ts";

/** The id of a channel, a person or a workspace. */
export const SlackId = z.string().regex(/^[A-Z0-9]{1,32}$/);
/** When a message was written, which is its name in its channel. */
export const SlackTime = z.string().regex(/^[0-9]{1,16}\.[0-9]{1,9}$/);

/** A mention of a user. Slack escapes what people write, so the name in it has no bracket: a search ends at the next one. */
export const userMention = /<@([A-Z0-9]+)(?:\|[^<>]*)?>/g;

/** For whom Slack sends an event: the app's bots are among them. */
export const SlackAuthorizations = z.array(z.object({ user_id: z.string().nullish(), is_bot: z.boolean().nullish() }));

/** A message as Slack's events have it, without what hangs on it. */
export const SlackMessage = z.object({
  channel: SlackId,
  channel_type: z.string().nullish(),
  user: SlackId.nullish(),
  user_team: SlackId.nullish(),
  team: SlackId.nullish(),
  bot_id: z.string().nullish(),
  subtype: z.string().nullish(),
  edited: z.object({}).nullish(),
  text: z.string().nullish(),
  ts: SlackTime,
  thread_ts: SlackTime.nullish(),
});
type Message = z.output<typeof SlackMessage>;

const Envelope = z.object({ authorizations: SlackAuthorizations.nullish(), event: SlackMessage });

/** Subtypes of messages that people write; all others are changes, and what Slack itself says. */
const ofPeople = [undefined, "file_share", "thread_broadcast"];

/** Whether a message is one that a person wrote as it is. */
export function isByPerson(
  { bot_id: bot, user, subtype, edited }: Pick<Message, "bot_id" | "user" | "subtype" | "edited">,
  bots: readonly string[],
): boolean {
  const isOwn = user !== null && user !== undefined && bots.includes(user);
  return !bot && !isOwn && Boolean(user) && !edited && ofPeople.includes(subtype ?? undefined);
}

/** Slack escapes three characters. */
export function unescaped(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

/** The bots that a request is for, of those that its envelope names. */
export function botsOf({ authorizations }: Pick<z.output<typeof Envelope>, "authorizations">): string[] {
  return (authorizations ?? []).flatMap(({ is_bot: isBot, user_id: id }) => (isBot === true && id ? [id] : []));
}

/**
 * What a message of a channel is to Automations, or a sentence that says why it is nothing to them. `channels` are those whose
 * messages they want. @throws Refusal `InvalidPayload`
 */
export function readChannelMessage(value: unknown, channels: ReadonlySet<string>): SlackEvent | string {
  const envelope = readAs(Envelope, value, "Slack");
  const { event: message } = envelope;
  const bots = botsOf(envelope);
  if (message.channel_type !== "channel" && message.channel_type !== "group") {
    return "messages without a mention outside of channels are not handled";
  }
  if (!channels.has(message.channel)) return "no Automation wants messages of this channel";
  if (!isByPerson(message, bots)) return "messages of bots and changes of messages are not handled";
  // Without the bot's id nothing would tell what people ask of it.
  if (bots.length === 0) return "the event does not name the app's bot, so whether it is mentioned is not known";
  const sent = message.text ?? "";
  if (mentionsOneOf(sent, bots)) return "messages that mention the app come as a mention, too";
  const text = unescaped(sent).trim();
  if (text === "") return "messages without text start nothing";
  if (countCharacters(text) > longestChannelMessage) {
    return `messages of more than ${longestChannelMessage.toLocaleString("en")} characters start nothing`;
  }
  return saidOf(message, text);
}

function mentionsOneOf(text: string, users: readonly string[]): boolean {
  return [...text.matchAll(userMention)].some(([, id = ""]) => users.includes(id));
}

function saidOf({ channel, user, user_team: userTeam, team, ts, thread_ts: threadTs }: Message, text: string) {
  const teamID = userTeam ?? team;
  return {
    action: "Said",
    channelID: channel,
    threadTS: threadTs ?? ts,
    ts,
    actor: { id: user ?? "", ...(teamID && { teamID }) },
    text,
  } as const satisfies SlackEvent;
}
