import type { WebClient } from "@slack/web-api";

import type { Integration, SlackEvent } from "../../api/v1alpha1/index.ts";
import { unescaped } from "../../domain/integrations/slack-message.ts";
import { ProviderError } from "../provider-error.ts";
import type { ThreadMessage } from "./prompt-text.ts";
import { readReplies } from "./read-replies.ts";
import type { SlackApi } from "./slack-api.ts";
import { compareTimes, readableTime } from "./slack-time.ts";

/** Messages that a prompt shows. */
const shown = 10;
/** Pages of a thread that are read: of the newest messages, far more than ten by people. */
const mostPages = 5;
const pageSize = 200;

type Reply = NonNullable<Awaited<ReturnType<WebClient["conversations"]["replies"]>>["messages"]>[number];
/** The library's type lacks what messages of bots have. */
export type ThreadMessageOfSlack = Reply & { subtype?: string; username?: string };

export interface EarlierMessages {
  messages: readonly ThreadMessage[];
  /** False where Slack did not give them. */
  isWhole: boolean;
}

/**
 * The messages of a thread before a request: for a follow-up those by people after the last prompt, for a first prompt those of
 * bots, too; the newest 10 of them. Where Slack refuses them, a request goes on without. @throws ProviderError
 */
export async function earlierMessages(
  slack: Pick<SlackApi, "call">,
  integration: Integration,
  { event, afterTS, isFollowUp }: { event: SlackEvent; afterTS: string | undefined; isFollowUp: boolean },
): Promise<EarlierMessages> {
  const { channelID: channel, threadTS = "", ts = "" } = event;
  // A message that begins a thread has none before it.
  if (threadTS === ts) return { messages: [], isWhole: true };
  try {
    const oldest = isFollowUp ? readableTime(afterTS) : undefined;
    const all = await threadMessages(slack, integration, {
      channel,
      ts: threadTS,
      latest: ts,
      ...(oldest && { oldest }),
    });
    const before = all.filter((message) => isBetween(message, oldest, ts) && !(isFollowUp && isByBot(message)));
    const messages = before
      .slice(-shown)
      .map(({ user, username, text }) => ({ user: user ?? username ?? "", text: unescaped(text ?? "") }));
    return { messages, isWhole: true };
  } catch (error) {
    if (error instanceof ProviderError && error.failure === "refused") return { messages: [], isWhole: false };
    throw error;
  }
}

/** Messages of a thread before one of them, by their times. @throws ProviderError */
export async function threadMessages(
  slack: Pick<SlackApi, "call">,
  integration: Integration,
  options: { channel: string; ts: string; latest: string; oldest?: string },
): Promise<ThreadMessageOfSlack[]> {
  const messages: ThreadMessageOfSlack[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const read = await readReplies(slack, integration, {
      ...options,
      limit: pageSize,
      ...(cursor !== undefined && { cursor }),
    });
    messages.push(...read.messages);
    cursor = read.cursor;
    if (cursor === undefined) break;
  }
  return messages.toSorted((left, right) => compareTimes(left.ts ?? "0.0", right.ts ?? "0.0"));
}

function isBetween({ ts = "0.0" }: ThreadMessageOfSlack, oldest: string | undefined, latest: string): boolean {
  return compareTimes(ts, latest) < 0 && (oldest === undefined || compareTimes(ts, oldest) > 0);
}

function isByBot({ bot_id: bot, subtype }: ThreadMessageOfSlack): boolean {
  return bot !== undefined || (subtype !== undefined && subtype !== "file_share" && subtype !== "thread_broadcast");
}
