import {
  annotations,
  type Automation,
  type Conversation,
  type ConversationStatus,
  Integration,
  type IntegrationEvent,
  labels,
  type Post,
  type Prompt,
  type Session,
} from "../../../api/v1alpha1/index.ts";
import { conversationName, promptName, stableUuid } from "../../../domain/integrations/names.ts";
import { firstPromptName } from "../../../domain/prompts/first-prompt-name.ts";
import { makePrompt } from "../../../domain/prompts/make-prompt.ts";
import { sessionName } from "../../../domain/runs/session-name.ts";
import { type ObjectKey, ownerReferenceTo } from "../../../lib/resource.ts";
import { judgedStatus } from "../../conversations/lifecycle.ts";
import { newPost, withPosts } from "../../conversations/posts.ts";
import { slackOf, slackRules } from "../rules.ts";

/** 7 days from the message that started a Run; replies do not extend them. */
const windowMs = 604_800_000;

/** The key by which messages of one thread are handled one after another. */
export function threadKeyOf({ metadata: { namespace }, spec }: IntegrationEvent): ObjectKey {
  const { channelID, threadTS = "" } = spec.slack ?? { channelID: "" };
  return { namespace, name: conversationName(spec.integrationRef, `thread/${channelID}/${threadTS}`) };
}

/** The Conversation of an Automation about the thread of a message; it goes with the Integration. */
export function makeThread(integration: Integration, automation: Automation, event: IntegrationEvent): Conversation {
  const { name = "", namespace, uid = "" } = integration.metadata;
  const { channelID, threadTS = "" } = slackOf(event);
  const subject = `automation/${automation.metadata.uid ?? ""}/thread/${channelID}/${threadTS}`;
  return {
    metadata: {
      name: conversationName({ name, uid }, subject),
      namespace,
      ownerReferences: [ownerReferenceTo(Integration, integration)],
    },
    spec: { integrationRef: { name, uid }, subject },
  };
}

/** The status of a thread in which a message has started a Run; its session and first prompt are made by the controller. */
export function startedStatus(
  conversation: Conversation,
  { event, runName }: { event: IntegrationEvent; runName: string },
  now: Date,
): ConversationStatus {
  const session = sessionName(runName, 0);
  const startTime = event.spec.receivedTime;
  const answer = postIn(conversation, event, { kind: "Answer", session, prompt: firstPromptName(session) });
  const status: ConversationStatus = {
    ...conversation.status,
    generation: (conversation.status?.generation ?? 0) + 1,
    runName,
    sessionName: session,
    startEventUID: event.metadata.uid,
    startTime,
    expireTime: new Date(Date.parse(startTime) + windowMs).toISOString(),
    lastPromptTime: now.toISOString(),
    posts: withPosts(conversation.status?.posts, [answer]),
  };
  return judgedStatus(conversation, status, now);
}

/** The status of a thread of which a reply went to the session. */
export function steeredStatus(
  conversation: Conversation,
  { event, prompt }: { event: IntegrationEvent; prompt: Prompt },
  now: Date,
): ConversationStatus {
  const { name = "" } = prompt.metadata;
  const answer = postIn(conversation, event, { kind: "Answer", session: prompt.spec.sessionRef.name, prompt: name });
  const posts = withPosts(conversation.status?.posts, [answer]);
  return judgedStatus(conversation, { ...conversation.status, lastPromptTime: now.toISOString(), posts }, now);
}

const tooEarly = "The session of this thread has not begun yet. Send your message again in a moment.";

/** The status of a thread whose sender reads that the session is not there yet. */
export function earlyStatus(conversation: Conversation, event: IntegrationEvent, now: Date): ConversationStatus {
  const note = postIn(conversation, event, { kind: "PrivateNote" });
  const posts = withPosts(conversation.status?.posts, [note]);
  return judgedStatus(conversation, { ...conversation.status, posts }, now);
}

/** Whether a thread has the post of a kind about a message. */
export function hasPost(conversation: Conversation, event: IntegrationEvent, kind: Post["kind"]): boolean {
  return (
    conversation.status?.posts?.some((post) => post.kind === kind && post.eventUID === event.metadata.uid) ?? false
  );
}

/** Several Automations may answer one message in one thread, so ids of their posts differ. */
function postIn(
  { metadata: { uid = "" } }: Conversation,
  event: IntegrationEvent,
  { kind, session, prompt }: { kind: "Answer" | "PrivateNote"; session?: string; prompt?: string },
): Post {
  const isNote = kind === "PrivateNote";
  const post = newPost(kind, event, isNote ? { progress: "Pending", text: tooEarly } : { progress: "Waiting" });
  return {
    ...post,
    id: stableUuid(kind, event.metadata.uid ?? "", uid),
    ...(session !== undefined && { sessionName: session }),
    ...(prompt !== undefined && { promptName: prompt }),
  };
}

/** The name of the one Prompt of a session for a reply. */
export function replyPromptName({ metadata: { name = "", uid = "" } }: Session, event: IntegrationEvent): string {
  return promptName({ name, uid }, event.metadata.uid ?? "");
}

/** The Prompt that a reply becomes: what the person wrote, and nothing else. */
export function makeReplyPrompt(
  integration: Integration,
  { conversation, session, event }: { conversation: Conversation; session: Session; event: IntegrationEvent },
): Prompt {
  const prompt = makePrompt(session, { name: replyPromptName(session, event), text: slackOf(event).text ?? "" });
  return {
    ...prompt,
    metadata: {
      ...prompt.metadata,
      labels: { ...prompt.metadata.labels, [labels.conversationUid]: conversation.metadata.uid ?? "" },
      annotations: { [annotations.requestedBy]: slackRules.requesterOf(integration, event) },
    },
  };
}
