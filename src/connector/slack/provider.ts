import type { KnownBlock } from "@slack/types";

import type { Integration, Post, Prompt } from "../../api/v1alpha1/index.ts";
import { answerOf } from "../conversations/posts.ts";
import type { Provider } from "../conversations/provider.ts";
import { targetExists } from "../conversations/target-exists.ts";
import { answerMessages, escaped, firstEscaped } from "./answer-messages.ts";
import { buttonBlock, type ButtonDeps, hasButton } from "./pull-requests/button.ts";
import { sessionLink } from "./media/media-text.ts";
import { type MediaDeps, postMedia } from "./media/post-media.ts";
import { type Message, postMessages } from "./post-message.ts";
import { questionBlocks } from "./question-blocks.ts";
import { readRequest, type RequestReaderDeps } from "./read-request.ts";
import { offeredTargets } from "./target.ts";
import { unlessRefused } from "../unless-refused.ts";

export type SlackProviderDeps = RequestReaderDeps & MediaDeps & ButtonDeps;

const fallbackCharacters = 150;

/** Slack; it knows no repeated message by itself. */
export function slackProvider(deps: SlackProviderDeps): Provider {
  return {
    notesCalls: ({ kind }) => !isRepeatable(kind),
    read: (facts, now) => readRequest(deps, facts, now),
    async post({ integration, conversation }, { post }, prompt) {
      if (post.kind === "PrivateNote") return notePrivately(deps, integration, post);
      if (post.kind === "Reaction") return react(deps, integration, post);
      if (post.kind === "Media") {
        await postMedia(deps, { integration, post }, prompt);
        return undefined;
      }
      if (isRepeatable(post.kind)) return changeMessage(deps, integration, post);
      const messages = messagesOf(deps, integration, post, prompt);
      const isAsked = post.kind === "Answer" && (await hasButton(deps, post, prompt));
      const shown = isAsked ? withButton(messages, post, conversation.metadata.name ?? "") : messages;
      const first = await postMessages(deps, integration, post, shown);
      return post.kind === "Started" ? first : undefined;
    },
    async workspace(integration) {
      const { team_id: id = "", team = "" } = await deps.slack.call(integration, "auth.test", (web) => web.auth.test());
      return { id, name: team };
    },
  };
}

function messagesOf(
  deps: SlackProviderDeps,
  integration: Integration,
  post: Post,
  prompt: Prompt | undefined,
): Message[] {
  if (post.kind === "Answer") return answerOfSession(post, prompt);
  const text = escaped(post.text ?? "");
  if (post.kind === "Started") return [{ text, blocks: [section(withSession(deps, integration, post, text))] }];
  if (post.kind === "PullRequest") return [{ text, blocks: [section(withLink(text))] }];
  const { slack: settings } = integration.spec;
  if (post.kind !== "Question" || !settings) return [{ text, blocks: [section(text)] }];
  const exists = (target: Parameters<typeof targetExists>[2]): boolean =>
    targetExists(deps.informers, integration, target);
  const offered = offeredTargets(settings).filter(exists);
  const suggestions = (post.slack?.suggestions ?? []).filter(exists);
  return [{ text, blocks: questionBlocks({ postId: post.id, text }, { suggestions, offered }) }];
}

/** The button is under the last message. */
function withButton(messages: readonly Message[], post: Post, conversationName: string): Message[] {
  const button = buttonBlock(post, conversationName);
  return messages.map((message, index) =>
    index === messages.length - 1 ? { ...message, blocks: [...message.blocks, button] } : message,
  );
}

function answerOfSession({ sessionName = "" }: Post, prompt: Prompt | undefined): Message[] {
  const { text } = answerOf(prompt);
  const end = `The answer goes on: \`kubectl runwright session logs ${sessionName}\``;
  return answerMessages(text, end).map((sections) => ({
    text: firstEscaped(sections.join("\n"), fallbackCharacters),
    blocks: sections.map(section),
  }));
}

function section(text: string): KnownBlock {
  return { type: "section", text: { type: "mrkdwn", text, verbatim: true } };
}

/** The address at the end as a link; what is said by others is escaped before. */
function withLink(text: string): string {
  return text.replace(/https:\/\/[^\s|]+$/u, "<$&>");
}

/** The same change made again is the same message, and the same reaction. */
function isRepeatable(kind: Post["kind"]): boolean {
  return kind === "Choice" || kind === "Progress" || kind === "Reaction";
}

async function changeMessage(deps: SlackProviderDeps, integration: Integration, post: Post): Promise<undefined> {
  const { channelID: channel = "", messageTS: ts = "" } = post.slack ?? {};
  const text = escaped(post.text ?? "");
  const blocks = [section(post.kind === "Progress" ? withSession(deps, integration, post, text) : text)];
  await deps.slack.call(integration, "chat.update", (web) => web.chat.update({ channel, ts, text, blocks }));
}

/** What is said of a session, with a link to it where people have the web page. */
function withSession({ pageUrl: url }: SlackProviderDeps, { metadata }: Integration, post: Post, text: string): string {
  return url === undefined ? text : `${text}\n${sessionLink(post, { url, namespace: metadata.namespace ?? "" })}`;
}

/** One that may have been seen is not shown again: it is in no list that could be searched. */
async function notePrivately({ slack }: SlackProviderDeps, integration: Integration, post: Post): Promise<undefined> {
  const { channelID: channel = "", threadTS, userID: user = "" } = post.slack ?? {};
  if (post.callTime !== undefined) return;
  const text = escaped(post.text ?? "");
  await slack.call(integration, "chat.postEphemeral", (web) =>
    web.chat.postEphemeral({ channel, user, text, ...(threadTS !== undefined && { thread_ts: threadTS }) }),
  );
}

/** Adds the reaction that the post names, or takes it away; one that is there already, or gone, is refused and as wanted. */
async function react({ slack }: SlackProviderDeps, integration: Integration, post: Post): Promise<undefined> {
  const { channelID: channel = "", messageTS: timestamp = "" } = post.slack ?? {};
  const isAdded = post.text !== "";
  const reaction = { channel, timestamp, name: "eyes" };
  const method = isAdded ? "reactions.add" : "reactions.remove";
  await unlessRefused(
    slack.call(integration, method, (web) => (isAdded ? web.reactions.add(reaction) : web.reactions.remove(reaction))),
  );
}
