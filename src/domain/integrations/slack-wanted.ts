import type { SlackEvent, SlackTrigger } from "../../api/v1alpha1/index.ts";
import { textMismatch } from "./text-match.ts";

/** Whether a message is a reply in a thread. */
export function isReply({ ts, threadTS }: Pick<SlackEvent, "ts" | "threadTS">): boolean {
  return threadTS !== undefined && threadTS !== ts;
}

/** Why a message starts no Run of a trigger, in a sentence; undefined where it may. */
export function messageMismatch(
  { channelID, actor, text = "" }: Pick<SlackEvent, "channelID" | "actor" | "text">,
  { channels, users, ignoredUsers, texts }: Pick<SlackTrigger, "channels" | "users" | "ignoredUsers" | "texts">,
): string | undefined {
  const { id = "" } = actor ?? {};
  if (!channels.includes(channelID)) {
    return `the channel is ${channelID}, but must be one of ${channels.join(", ")}`;
  }
  if (ignoredUsers.includes(id)) return `messages of ${id} are ignored`;
  if (users.length > 0 && !users.includes(id)) {
    return `the message is of ${id}, but must be of one of ${users.join(", ")}`;
  }
  for (const condition of texts) {
    const problem = textMismatch(condition, text);
    if (problem !== undefined) return `the text ${problem}`;
  }
  return undefined;
}

/** What a message is to Automations, the same however often it is delivered: its channel and its time. */
export function messageKey({ channelID, ts = "" }: Pick<SlackEvent, "channelID" | "ts">): string {
  return `channel ${channelID} message ${ts}`;
}
