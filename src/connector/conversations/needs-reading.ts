import type { IntegrationEvent, Post } from "../../api/v1alpha1/index.ts";
import { choiceNeedsReading } from "./choose.ts";
import { answerTo, type ConversationFacts, promptFor, requestOf } from "./facts.ts";
import { followedSession } from "./questions.ts";
import { rulesOf } from "./rules.ts";
import { verdictPost } from "./verdict-post.ts";

/** Whether the decision needs what the provider says of what the first event is about. */
export function needsReading(facts: ConversationFacts, now: Date): boolean {
  const { conversation, events } = facts;
  const [event] = events;
  if (!event || !conversation) return false;
  const ask = rulesOf(event).askOf(event);
  if (ask === "Stopped") return false;
  const own = verdictPost(conversation, event);
  if (own) return isReadOnTheWay(facts, event) && lacksPrompt(facts, own, event);
  return ask === "Chosen" ? choiceNeedsReading(facts, event) : requestNeedsReading(facts, event, now);
}

function requestNeedsReading(facts: ConversationFacts, event: IntegrationEvent, now: Date): boolean {
  const rules = rulesOf(event);
  if (!rules.mayAsk(facts.integration.spec, event) || rules.helpFor?.(event) !== undefined) return false;
  return rules.followUpText === undefined || !followedSession(facts, event, now);
}

/** Whether the text of an event's prompt needs it. */
function isReadOnTheWay(facts: ConversationFacts, event: IntegrationEvent): boolean {
  if (rulesOf(event).followUpText === undefined) return true;
  return facts.conversation?.status?.startEventUID === event.metadata.uid;
}

/** Whether a post stands for a prompt that is not there yet. */
function lacksPrompt(facts: ConversationFacts, own: Post, event: IntegrationEvent): boolean {
  if (own.kind !== "Answer" && own.kind !== "Choice") return false;
  const request = requestOf(facts, event);
  const answer = answerTo(facts.conversation, request);
  if (!request || !answer) return false;
  const session = facts.sessions.get(answer.sessionName ?? "");
  return session === undefined || promptFor(facts, session, request.metadata.uid ?? "") === undefined;
}
