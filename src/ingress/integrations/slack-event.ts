import { z } from "zod";

import { longestEventText, longestViewHash, type SlackEvent } from "../../api/v1alpha1/index.ts";
import { firstCharacters } from "../../lib/characters.ts";
import { pullRequestAction } from "../../domain/integrations/slack-actions.ts";
import { named, readAs } from "../../domain/integrations/read-as.ts";
import {
  botsOf,
  isByPerson,
  readChannelMessage,
  SlackAuthorizations,
  SlackId,
  SlackMessage,
  SlackTime,
  unescaped,
  userMention,
} from "../../domain/integrations/slack-message.ts";
import { Files, imagesOf } from "./slack-files.ts";
import { Attachments, forwardedOf } from "./slack-forwarded.ts";

const Envelope = z.object({
  type: z.literal("event_callback"),
  team_id: SlackId,
  event_id: z.string().min(1).max(200),
  event: z.object({ type: z.string() }),
  authorizations: SlackAuthorizations.nullish(),
});

const Message = z.object({
  event: SlackMessage.extend({ attachments: Attachments.nullish(), files: Files.nullish() }),
});
type Message = z.output<typeof Message>["event"];

/** The type of the samples that `kubectl runwright integration test` sends. */
export const slackSampleType = "runwright_test";

/** What Slack tells when the app was removed. */
const revocations = ["app_uninstalled", "tokens_revoked"];

/** An event as it is kept, or a sentence that says why it is none that an Integration handles. */
export interface ReadSlackEvent {
  teamId: string;
  eventId: string;
  event: SlackEvent | string;
}

/**
 * Reads an event of Slack's whose signature was right; `channels` are those whose messages Automations want.
 * @throws Refusal `InvalidPayload`
 */
export function readSlackEvent(value: unknown, channels: ReadonlySet<string>): ReadSlackEvent {
  const envelope = readAs(Envelope, value, "Slack");
  const { team_id: teamId, event_id: eventId, event } = envelope;
  const read = (kept: SlackEvent | string): ReadSlackEvent => ({ teamId, eventId, event: kept });
  if (event.type === slackSampleType) return read({ action: "Test", channelID: "" });
  if (revocations.includes(event.type)) return read({ action: "Revoked", channelID: "" });
  if (event.type === "app_home_opened") return { teamId, ...readHomeOpened(value) };
  if (event.type !== "app_mention" && event.type !== "message")
    return read(`events of type ${named(event.type)} are not handled`);
  const { event: message } = readAs(Message, value, "Slack");
  if (event.type === "message" && message.channel_type !== "im") return read(readChannelMessage(value, channels));
  const bots = botsOf(envelope);
  if (!isByPerson(message, bots)) return read("messages of bots and changes of messages are not handled");
  const request = projectionOf(message, bots);
  return { teamId, eventId: messageIdOf(request), event: request };
}

/** The id of a request in place of the delivery's: in however many events Slack tells of a message, it is one request. */
function messageIdOf({ channelID, ts = "" }: SlackEvent): string {
  return `message/${channelID}/${ts}`;
}

const HomeOpened = z.object({
  event: z.object({
    user: SlackId,
    tab: z.string().nullish(),
    view: z.object({ hash: z.string().max(longestViewHash).nullish() }).nullish(),
  }),
});

/**
 * What a person who opened the app's home saw is its id in place of the delivery's: however often the person opens it before
 * another view is there, it is one event.
 */
function readHomeOpened(value: unknown): Pick<ReadSlackEvent, "eventId" | "event"> {
  const { user: id, tab, view } = readAs(HomeOpened, value, "Slack").event;
  const hash = view?.hash ?? "";
  const eventId = `home/${id}/${hash}`;
  if (tab !== "home") return { eventId, event: "of the app's home, the Home tab alone is handled" };
  const viewHash = hash === "" ? {} : { viewHash: hash };
  return { eventId, event: { action: "HomeOpened", channelID: "", actor: { id }, ...viewHash } };
}

function projectionOf(message: Message, bots: readonly string[]): SlackEvent {
  const { channel, channel_type: type, ts, thread_ts: threadTs, attachments, files } = message;
  const text = firstCharacters(withoutMention(message.text ?? "", bots), longestEventText);
  const forwarded = forwardedOf(attachments ?? []);
  return {
    action: "Asked",
    channelID: channel,
    threadTS: threadTs ?? ts,
    ts,
    ...(type === "im" && { channelType: "Direct" as const }),
    actor: actorOf(message),
    ...(text !== "" && { text }),
    ...(forwarded.messages.length > 0 && { forwarded: forwarded.messages }),
    ...imagesOf([...(files ?? []), ...forwarded.files]),
  };
}

function actorOf({ user, user_team: userTeam, team }: Message): NonNullable<SlackEvent["actor"]> {
  const teamID = userTeam ?? team;
  return { id: user ?? "", ...(teamID && { teamID }) };
}

/** What the person wrote, without the bot's mention, on one line. */
function withoutMention(text: string, bots: readonly string[]): string {
  const plain = text.replaceAll(userMention, (mention, id: string) => (bots.includes(id) ? " " : mention));
  return unescaped(plain).replaceAll(/\s+/gu, " ").trim();
}

const Interaction = z.object({
  type: z.string(),
  team: z.object({ id: SlackId }),
  user: z.object({ id: SlackId, team_id: SlackId.nullish() }),
  trigger_id: z.string().min(1).max(200),
});

const Click = z.object({
  container: z.object({ channel_id: SlackId, message_ts: SlackTime, thread_ts: SlackTime.nullish() }),
  actions: z
    .array(
      z.object({
        block_id: z.string(),
        action_id: z.string(),
        value: z.string().nullish(),
        selected_option: z.object({ value: z.string() }).nullish(),
      }),
    )
    .min(1),
});

const postId = /^[0-9a-f-]{36}$/;

/** Reads a click whose signature was right. @throws Refusal `InvalidPayload` */
export function readSlackInteraction(value: unknown): ReadSlackEvent {
  const { type, team, user, trigger_id: eventId } = readAs(Interaction, value, "Slack");
  const read = (event: SlackEvent | string): ReadSlackEvent => ({ teamId: team.id, eventId, event });
  if (type !== "block_actions") return read(`interactions of type ${named(type)} are not handled`);
  const { container, actions } = readAs(Click, value, "Slack");
  const choice = choiceOf(actions[0], container.message_ts);
  if (!choice) return read("this element is not handled");
  return read({
    action: actions[0]?.action_id === pullRequestAction ? "PullRequestAsked" : "Chosen",
    channelID: container.channel_id,
    threadTS: container.thread_ts ?? container.message_ts,
    actor: { id: user.id, ...(user.team_id && { teamID: user.team_id }) },
    choice,
  });
}

function choiceOf(
  action: z.output<typeof Click>["actions"][number] | undefined,
  messageTS: string,
): SlackEvent["choice"] | undefined {
  const chosen = action?.selected_option?.value ?? action?.value ?? "";
  if (!action || !postId.test(action.block_id) || chosen === "") return undefined;
  return { postID: action.block_id, value: firstCharacters(chosen, 80), messageTS };
}
