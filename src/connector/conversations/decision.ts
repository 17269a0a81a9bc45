import type { Conversation, ConversationStatus, IntegrationEvent, Post } from "../../api/v1alpha1/index.ts";
import type { ConversationEffect } from "./effects.ts";
import { judgedStatus, settledStatus, type Verdict } from "./lifecycle.ts";
import { hasRoomFor, withPosts } from "./posts.ts";

/** What to do for a conversation now; where there are effects, it is decided again once they are stored. */
export interface Decision {
  effects: readonly ConversationEffect[];
  /** Milliseconds after which it is looked at again; undefined: an event has to come. */
  requeueMs?: number | undefined;
}

export function one(effect: ConversationEffect): Decision {
  return { effects: [effect] };
}

export function settle(event: IntegrationEvent, verdict: Verdict, now: Date): Decision {
  return one({ kind: "settleEvent", event, status: settledStatus(event, verdict, now) });
}

export function post(conversation: Conversation, added: Post, now: Date): Decision {
  return write(conversation, conversation.status ?? {}, [added], now);
}

/** Milliseconds until an event without room for its posts is looked at again, unless a post is posted before. */
const roomMs = 60_000;

/** Writes status and posts; where too many posts wait, the event waits, too. */
export function write(
  conversation: Conversation,
  status: ConversationStatus,
  added: readonly Post[],
  now: Date,
): Decision {
  if (!hasRoomFor(status.posts, added)) return { effects: [], requeueMs: roomMs };
  const posts = withPosts(status.posts, added);
  return one({ kind: "writeStatus", conversation, status: judgedStatus(conversation, { ...status, posts }, now) });
}
