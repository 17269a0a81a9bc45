import type { WebClient } from "@slack/web-api";

import type { Integration } from "../../api/v1alpha1/index.ts";
import { isTooLong } from "../answer-text.ts";
import type { SlackApi } from "./slack-api.ts";

type Options = Parameters<WebClient["conversations"]["replies"]>[0] & { limit: number };
type Reply = NonNullable<Awaited<ReturnType<WebClient["conversations"]["replies"]>>["messages"]>[number];

/** Messages of a thread, and where the list goes on; undefined at its end. */
export interface Replies {
  messages: Reply[];
  cursor: string | undefined;
}

/** Reads a page of a thread, in halves where its messages are longer than what is read of an answer. @throws ProviderError */
export async function readReplies(
  slack: Pick<SlackApi, "call">,
  integration: Integration,
  options: Options,
): Promise<Replies> {
  try {
    const answer = await slack.call(integration, "conversations.replies", (web) => web.conversations.replies(options));
    const { next_cursor: next = "" } = answer.response_metadata ?? {};
    return { messages: answer.messages ?? [], cursor: next === "" ? undefined : next };
  } catch (error) {
    if (!isTooLong(error) || options.limit === 1) throw error;
  }
  const half = { ...options, limit: Math.ceil(options.limit / 2) };
  const first = await readReplies(slack, integration, half);
  if (first.cursor === undefined) return first;
  const second = await readReplies(slack, integration, { ...half, cursor: first.cursor });
  return { messages: [...first.messages, ...second.messages], cursor: second.cursor };
}
