import type { Conversation, IntegrationEvent, Post, Prompt, Session } from "../../api/v1alpha1/index.ts";
import { isSettled } from "../../domain/prompts/prompt-state.ts";
import { type Decision, one, post, settle, write } from "./decision.ts";
import { type ConversationFacts, hasMapping, mappedSession } from "./facts.ts";
import { verdictOf } from "./go-on.ts";
import type { Verdict } from "./lifecycle.ts";
import { newPost } from "./posts.ts";
import { hasQuestion, withoutQuestions } from "./questions.ts";
import { makeConversation } from "./resources.ts";
import { rulesOf } from "./rules.ts";
import { byCreation, withdrawn } from "./turns.ts";
import { verdictPost } from "./verdict-post.ts";

/** Milliseconds for which the connector tries a refused cancel again. Then it tells the person, about when Linear expects a first word. */
const patienceMs = 10_000;

const stopFailed =
  "The work could not be stopped, so it goes on. Stop it again, or ask the operator of Runwright to cancel it.";

export const nothingToStop: Verdict = {
  counted: "skipped",
  succeeded: true,
  reason: "NothingToDo",
  message: "No session is at work on it",
};

/** A stop goes before what came earlier and waits. It takes back what was asked at its place and is not begun, then what is at work. */
export function decideStop(facts: ConversationFacts, event: IntegrationEvent, now: Date): Decision {
  const { conversation, integration } = facts;
  const waiting = waitingRequests(facts, event);
  const own = conversation && verdictPost(conversation, event);
  if (own) return settleStop(event, own, { waiting, now });
  if (!conversation && waiting.length > 0) {
    return one({ kind: "createConversation", conversation: makeConversation(integration, event) });
  }
  const isNeeded = waiting.length > 0 || hasMapping(conversation, now) || hasQuestion(conversation, event);
  if (!conversation || !isNeeded) return settle(event, nothingToStop, now);
  if (rulesOf(event).mayAsk(integration.spec, event)) return stop(facts, conversation, event, now);
  return post(conversation, refusalOf(event, rulesOf(event).accessDenied), now);
}

/** What a stop takes back is settled before the stop itself. */
function settleStop(
  event: IntegrationEvent,
  own: Post,
  { waiting, now }: { waiting: readonly IntegrationEvent[]; now: Date },
): Decision {
  const [request] = own.kind === "StopNotice" ? waiting : [];
  return request ? settle(request, withdrawn, now) : settle(event, verdictOf(own, event), now);
}

function refusalOf(event: IntegrationEvent, text = stopFailed): Post {
  return newPost("StopRefusal", event, { progress: "Pending", text });
}

/** Requests that came before a stop, at its place, and of which nothing is decided. */
function waitingRequests({ conversation, events }: ConversationFacts, event: IntegrationEvent): IntegrationEvent[] {
  const { agentSessionID } = rulesOf(event).placeOf(event);
  return events.filter(
    (one) =>
      byCreation(one, event) < 0 &&
      rulesOf(one).askOf(one) !== "Stopped" &&
      rulesOf(one).placeOf(one).agentSessionID === agentSessionID &&
      !(conversation && verdictPost(conversation, one)),
  );
}

/** Cancels what the session is at; the mapping goes only where that succeeded. */
function stop(facts: ConversationFacts, conversation: Conversation, event: IntegrationEvent, now: Date): Decision {
  const session = mappedSession(facts, now);
  const prompts = session ? openPrompts(facts, session) : [];
  const { sessionName } = conversation.status ?? {};
  const unmapped = { sessionName: undefined, startEventUID: undefined, target: undefined, expireTime: undefined };
  const posts = withoutQuestions(conversation, event).map((waiting) =>
    waiting.sessionName === sessionName && waiting.progress === "Waiting"
      ? { ...waiting, progress: "Dropped" as const }
      : waiting,
  );
  const notice = newPost("StopNotice", event, { progress: "Pending", text: "Stopped." });
  const written = write(conversation, { ...conversation.status, ...unmapped, posts }, [notice], now);
  if (written.effects.length === 0) return written;
  const isPatient = now.getTime() - Date.parse(event.spec.receivedTime) < patienceMs;
  const [otherwise] = isPatient ? [] : post(conversation, refusalOf(event), now).effects;
  return { effects: [{ kind: "cancelPrompts", prompts, otherwise }, ...written.effects] };
}

function openPrompts({ prompts }: ConversationFacts, session: Session): Prompt[] {
  return [...prompts.values()].filter(
    (prompt) => prompt.spec.sessionRef.name === session.metadata.name && !isSettled(prompt),
  );
}
