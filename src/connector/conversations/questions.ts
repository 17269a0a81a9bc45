import {
  type Conversation,
  type IntegrationEvent,
  mostEarlierRequests,
  type Post,
  type Session,
} from "../../api/v1alpha1/index.ts";
import { type ConversationFacts, mappedSession } from "./facts.ts";
import { rulesOf } from "./rules.ts";
import { verdictPost } from "./verdict-post.ts";

// A question of Slack's is answered by a choice, which names it. What follows is for providers where people answer by a message:
// the next one at the place of a question is its answer.

/** Milliseconds for which a question can be answered, from the request on; so long its event is kept. */
const answerableMs = 604_800_000;

type Facts = Pick<ConversationFacts, "conversation" | "known" | "sessions">;

/** The question that a message answers; undefined where it is a request of its own. */
function openQuestion(
  { conversation, known }: Pick<Facts, "conversation" | "known">,
  event: IntegrationEvent,
): Post | undefined {
  if (rulesOf(event).askOf(event) !== "Prompted") return undefined;
  const question = conversation?.status?.posts?.findLast((post) => isAskedAt(post, event));
  const request = question && known.get(question.requestUIDs?.[0] ?? question.eventUID);
  return request && isInTime(event, request) ? question : undefined;
}

function isInTime(answer: IntegrationEvent, request: IntegrationEvent): boolean {
  return Date.parse(answer.spec.receivedTime) - Date.parse(request.spec.receivedTime) <= answerableMs;
}

/** Whether a post is a question at the place of an event. */
function isAskedAt({ kind, agentSessionID }: Post, event: IntegrationEvent): boolean {
  return (
    kind === "Question" &&
    agentSessionID !== undefined &&
    agentSessionID === rulesOf(event).placeOf(event).agentSessionID
  );
}

/** Whether a person was asked something at the place of an event, and did not answer yet. */
export function hasQuestion(conversation: Conversation | undefined, event: IntegrationEvent): boolean {
  return conversation?.status?.posts?.some((post) => isAskedAt(post, event)) ?? false;
}

/** Posts without the questions at the place of an event: what comes there next is an answer to none of them. */
export function withoutQuestions({ status }: Conversation, event: IntegrationEvent): Post[] {
  return (status?.posts ?? []).filter((post) => !isAskedAt(post, event));
}

/** UIDs of the events whose texts belong to the request of an event, too; the oldest, which is the request, always stays. */
export function earlierRequests(facts: Pick<Facts, "conversation" | "known">, event: IntegrationEvent): string[] {
  const own = facts.conversation && verdictPost(facts.conversation, event);
  if (own) return own.requestUIDs ?? [];
  const question = openQuestion(facts, event);
  if (!question) return [];
  const all = [...(question.requestUIDs ?? []), question.eventUID];
  return [...all.slice(0, 1), ...all.slice(1).slice(1 - mostEarlierRequests)];
}

/** What a post notes of them. */
export function noted(requestUIDs: readonly string[]): Pick<Post, "requestUIDs"> {
  return requestUIDs.length === 0 ? {} : { requestUIDs: [...requestUIDs] };
}

/** The event of the person who asked: where a question was answered, of who was asked it. */
export function askedBy(facts: Pick<Facts, "conversation" | "known">, event: IntegrationEvent): IntegrationEvent {
  return facts.known.get(earlierRequests(facts, event)[0] ?? "") ?? event;
}

/** The session that an event is a follow-up to; undefined where it asks for one, as an answer to a question does. */
export function followedSession(facts: Facts, event: IntegrationEvent, now: Date): Session | undefined {
  if (rulesOf(event).askOf(event) !== "Prompted" || openQuestion(facts, event)) return undefined;
  return mappedSession(facts, now);
}
