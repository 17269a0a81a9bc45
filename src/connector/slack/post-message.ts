import type { KnownBlock } from "@slack/types";

import type { Integration, Post } from "../../api/v1alpha1/index.ts";
import { ProviderError } from "../provider-error.ts";
import { readReplies, type Replies } from "./read-replies.ts";
import type { SlackApi } from "./slack-api.ts";

export interface PosterDeps {
  slack: Pick<SlackApi, "call" | "post">;
}

export interface Message {
  /** What notifications show. */
  text: string;
  blocks: readonly KnownBlock[];
}

type Place = NonNullable<Post["slack"]>;

/** The type of the metadata by which our messages are found. */
const eventType = "runwright_post";
/** Milliseconds that Slack's clock may be behind ours. */
const slackMs = 300_000;
const pageSize = 200;
const mostPages = 10;

/**
 * Posts messages into a thread, each once. Slack knows no repeated call, so after one whose outcome is not known the thread is
 * searched for those that are there; where the search fails, they are not posted. Gives the time of the first. @throws ProviderError
 */
export async function postMessages(
  deps: PosterDeps,
  integration: Integration,
  { id, slack: place, callTime }: Pick<Post, "id" | "slack" | "callTime">,
  messages: readonly Message[],
): Promise<string | undefined> {
  if (!place) throw new ProviderError("refused", "The post has no place in Slack");
  const posted =
    callTime === undefined ? new Map<number, string>() : await findParts(deps, integration, { id, place, callTime });
  for (const [part, { text, blocks }] of messages.entries()) {
    if (posted.has(part)) continue;
    const { ts = "" } = await deps.slack
      .post(integration, { operation: "chat.postMessage", channel: place.channelID }, (web) =>
        web.chat.postMessage({
          channel: place.channelID,
          thread_ts: place.threadTS,
          text,
          blocks: [...blocks],
          metadata: { event_type: eventType, event_payload: { id, part } },
          unfurl_links: false,
          unfurl_media: false,
        }),
      )
      .catch((error: unknown) => {
        throw part === 0 ? error : searchedNext(error);
      });
    posted.set(part, ts);
  }
  return posted.get(0);
}

/** What failed after a part was posted is tried again with a search. */
function searchedNext(error: unknown): unknown {
  if (!(error instanceof ProviderError) || error.failure !== "throttled") return error;
  const { retryAfterMs } = error;
  return new ProviderError("unavailable", error.message, { retryAfterMs, cause: error });
}

async function findParts(
  deps: PosterDeps,
  integration: Integration,
  { id, ...where }: { id: string; place: Place; callTime: string },
): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const read = await readPage(deps, integration, { ...where, cursor });
    for (const message of read.messages) {
      const part = partOf(message, id);
      if (part !== undefined) found.set(part, message.ts ?? "");
    }
    cursor = read.cursor;
    if (cursor === undefined) return found;
  }
  throw new ProviderError("refused", "The thread is too long to find what was posted in it");
}

function readPage(
  { slack }: PosterDeps,
  integration: Integration,
  { place, callTime, cursor }: { place: Place; callTime: string; cursor: string | undefined },
): Promise<Replies> {
  const { channelID: channel, threadTS: ts } = place;
  const oldest = String((Date.parse(callTime) - slackMs) / 1_000);
  const options = { channel, ts, oldest, include_all_metadata: true, limit: pageSize };
  return readReplies(slack, integration, { ...options, ...(cursor !== undefined && { cursor }) });
}

/** The part of a post that a message of ours is; the library's type has no metadata. */
function partOf(message: object, id: string): number | undefined {
  const { metadata } = message as {
    metadata?: { event_type?: string; event_payload?: { id?: string; part?: number } };
  };
  const isOurs = metadata?.event_type === eventType && metadata.event_payload?.id === id;
  return isOurs ? metadata.event_payload?.part : undefined;
}
