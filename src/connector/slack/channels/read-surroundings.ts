import type { Integration, SlackEvent } from "../../../api/v1alpha1/index.ts";
import { unescaped } from "../../../domain/integrations/slack-message.ts";
import { isReply } from "../../../domain/integrations/slack-wanted.ts";
import type { Clock } from "../../../lib/clock.ts";
import { waitAtMost } from "../../../lib/sleep.ts";
import { ProviderError } from "../../provider-error.ts";
import { threadMessages, type ThreadMessageOfSlack } from "../read-thread.ts";
import type { SlackApi } from "../slack-api.ts";
import type { Speaker, Surroundings, ThreadEntry } from "./details.ts";

export interface SurroundingsDeps {
  slack: Pick<SlackApi, "call">;
  clock: Pick<Clock, "setTimeout">;
}

/** Milliseconds for all that is read of a message. */
const readWithinMs = 10_000;

/** Reads what is around a message in Slack; what cannot be read in 10 seconds is left out. */
export async function readSurroundings(
  { slack, clock }: SurroundingsDeps,
  integration: Integration,
  event: SlackEvent,
): Promise<Surroundings> {
  const found: { -readonly [Key in keyof Surroundings]: Surroundings[Key] } = { thread: [] };
  const { channelID: channel, ts = "" } = event;
  const reads = [
    slack
      .call(integration, "conversations.info", (web) => web.conversations.info({ channel }))
      .then((answer) => void (found.channelName = answer.channel?.name)),
    slack
      .call(integration, "chat.getPermalink", (web) => web.chat.getPermalink({ channel, message_ts: ts }))
      .then((answer) => void (found.link = answer.permalink)),
    ...(isReply(event) ? [readThread(slack, integration, event).then((thread) => void (found.thread = thread))] : []),
  ];
  await waitAtMost(clock, readWithinMs, Promise.all(reads.map((read) => read.catch(leaveOut))));
  return { ...found };
}

function leaveOut(error: unknown): void {
  if (!(error instanceof ProviderError)) throw error;
}

async function readThread(
  slack: Pick<SlackApi, "call">,
  integration: Integration,
  { channelID: channel, threadTS = "", ts = "" }: SlackEvent,
): Promise<ThreadEntry[]> {
  const [self, messages] = await Promise.all([
    slack.call(integration, "auth.test", (web) => web.auth.test()),
    threadMessages(slack, integration, { channel, ts: threadTS, latest: ts }),
  ]);
  return messages.map((message) => ({
    ts: message.ts ?? "0.0",
    speaker: speakerOf(message, self),
    name: message.user ?? message.username ?? "",
    text: unescaped(message.text ?? ""),
  }));
}

function speakerOf({ user, bot_id: bot }: ThreadMessageOfSlack, self: { user_id?: string; bot_id?: string }): Speaker {
  const isOwn = (user !== undefined && user === self.user_id) || (bot !== undefined && bot === self.bot_id);
  if (isOwn) return "self";
  if (bot !== undefined) return "app";
  return user === undefined ? "unknown" : "user";
}
