import type { Conversation, IntegrationEvent, Session } from "../../api/v1alpha1/index.ts";
import { choose } from "./choose.ts";
import { type Decision, one, post, settle, write } from "./decision.ts";
import { type ConversationFacts, emptyText, type Reading } from "./facts.ts";
import { goOn } from "./go-on.ts";
import { duePosts, newPost, nextPostMs } from "./posts.ts";
import { askedBy, earlierRequests, followedSession, noted, withoutQuestions } from "./questions.ts";
import { accessVerdict, refuse } from "./refuse.ts";
import { makeConversation } from "./resources.ts";
import { rulesOf } from "./rules.ts";
import { followUp, readLater, start } from "./start.ts";
import { decideStop, nothingToStop } from "./stop.ts";
import { verdictPost } from "./verdict-post.ts";

/**
 * Decides the next step. It rests on what is stored, so a crash after any step is healed by deciding again:
 *
 * ```
 *   first event of a subject   ──▶ Conversation created
 *   event without a post       ──▶ status written: generation, session name, target, posts     (what is to come)
 *   a stop, before all others  ──▶ prompts cancelled, status written: no mapping
 *   session is missing         ──▶ Session created
 *   prompt is missing          ──▶ Prompt created
 *   all is there               ──▶ event settled
 *   posts are due              ──▶ posted at the provider, then status written
 * ```
 */
export function decide(facts: ConversationFacts, now: Date): Decision {
  const [event] = facts.events;
  const step = event && decideEvent(facts, event, now);
  if (step && step.effects.length > 0) return step;
  const posts = duePosts(facts, now);
  if (posts.length > 0) return { effects: [{ kind: "tell", posts }] };
  const waits = [step?.requeueMs, nextPostMs(facts, now)].filter((ms) => ms !== undefined);
  return { effects: [], requeueMs: waits.length === 0 ? undefined : Math.min(...waits) };
}

function decideEvent(facts: ConversationFacts, event: IntegrationEvent, now: Date): Decision {
  const { conversation, integration } = facts;
  const ask = rulesOf(event).askOf(event);
  if (ask === "Stopped") return decideStop(facts, event, now);
  if (!conversation && ask === "Chosen") return settle(event, nothingToStop, now);
  if (!conversation) return one({ kind: "createConversation", conversation: makeConversation(integration, event) });
  const own = verdictPost(conversation, event);
  if (own) return goOn(facts, { conversation, event, own }, now);
  if (ask === "Chosen") return choose(facts, conversation, event, now);
  return decideRequest(facts, conversation, event, now);
}

function decideRequest(
  facts: ConversationFacts,
  conversation: Conversation,
  event: IntegrationEvent,
  now: Date,
): Decision {
  const rules = rulesOf(event);
  if (!rules.mayAsk(facts.integration.spec, event)) {
    return refuse(conversation, event, { ...accessVerdict, text: rules.accessDenied }, now);
  }
  const help = rules.helpFor?.(event);
  if (help !== undefined) return post(conversation, newPost("Help", event, { progress: "Pending", text: help }), now);
  const session = followedSession(facts, event, now);
  return session ? steer(facts, conversation, { event, session }, now) : begin(facts, conversation, event, now);
}

function steer(
  { reading }: ConversationFacts,
  conversation: Conversation,
  { event, session }: { event: IntegrationEvent; session: Session },
  now: Date,
): Decision {
  if (rulesOf(event).followUpText === undefined) {
    if (!reading) return { effects: [], requeueMs: 0 };
    if (reading.kind === "failed") return readLater(conversation, event, reading.error, now);
  }
  return (
    refusedBy(conversation, event, { reading, now }) ??
    nothingLeft(conversation, event, { reading, now }) ??
    followUp(conversation, { event, session, reading }, { now })
  );
}

/** What the provider's answer refuses; the person reads so where the provider's rules have that said. */
function refusedBy(
  conversation: Conversation,
  event: IntegrationEvent,
  { reading, now }: { reading: Reading | undefined; now: Date },
): Decision | undefined {
  if (reading?.kind !== "read" || reading.target.kind !== "refused") return undefined;
  const { reason, message } = reading.target;
  return refuse(conversation, event, { reason, message, text: rulesOf(event).accessDenied }, now);
}

/** A person whose request was images that cannot be had reads why; undefined where there is something to work on. */
function nothingLeft(
  conversation: Conversation,
  event: IntegrationEvent,
  { reading, now }: { reading: Reading | undefined; now: Date },
): Decision | undefined {
  if (reading?.kind !== "read" || !reading.isEmpty) return undefined;
  return post(conversation, newPost("Help", event, { progress: "Pending", text: emptyText(reading) }), now);
}

function begin(facts: ConversationFacts, conversation: Conversation, event: IntegrationEvent, now: Date): Decision {
  const { reading } = facts;
  if (!reading) return { effects: [], requeueMs: 0 };
  if (reading.kind === "failed") return readLater(conversation, event, reading.error, now);
  const refused =
    refusedBy(conversation, event, { reading, now }) ?? nothingLeft(conversation, event, { reading, now });
  if (refused) return refused;
  const requestUIDs = earlierRequests(facts, event);
  if (reading.target.kind === "target") {
    const request = { event, requestUIDs, asked: askedBy(facts, event) };
    return start(conversation, { ...request, target: reading.target.target, reading }, { now });
  }
  const { question = "", suggestions = [] } = reading.target.kind === "ask" ? reading.target : {};
  const asked = { ...newPost("Question", event, { progress: "Pending", text: question }), ...noted(requestUIDs) };
  const { slack } = asked;
  const added = slack ? { ...asked, slack: { ...slack, suggestions: [...suggestions] } } : asked;
  return write(conversation, { ...conversation.status, posts: withoutQuestions(conversation, event) }, [added], now);
}
