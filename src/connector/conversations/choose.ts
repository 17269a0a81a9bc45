import type { Conversation, IntegrationEvent, Post, Target } from "../../api/v1alpha1/index.ts";
import { type Decision, post, settle } from "./decision.ts";
import {
  type ConversationFacts,
  emptyText,
  mappedSession,
  questionOf,
  type Reading,
  requestOf,
  targetName,
} from "./facts.ts";
import type { Verdict } from "./lifecycle.ts";
import { newPost } from "./posts.ts";
import { accessVerdict, refuse } from "./refuse.ts";
import { rulesOf } from "./rules.ts";
import { followUp, readLater, start } from "./start.ts";

/** Milliseconds for which a question can be answered, from the request on. */
const choosableMs = 3_600_000;

const answeredBefore: Verdict = {
  counted: "skipped",
  succeeded: true,
  reason: "NothingToDo",
  message: "The question was answered before",
};

/** What a choice comes to before it is known whether what was chosen is still there; undefined where it counts. */
function obstacleOf(
  facts: ConversationFacts,
  conversation: Conversation,
  event: IntegrationEvent,
): Post | "answered" | "denied" | undefined {
  const question = questionOf(conversation, event);
  const request = requestOf(facts, event);
  if (!question || !request || isAnswered(conversation, question)) return "answered";
  const { actor } = event.spec.slack ?? {};
  if (actor?.id !== question.slack?.userID) {
    return newPost("PrivateNote", event, { progress: "Pending", text: "Only the person who asked can choose." });
  }
  // The lists may have changed since the request.
  if (!rulesOf(request).mayAsk(facts.integration.spec, request)) return "denied";
  return isInTime(event, request) ? undefined : tooOld(event);
}

function isInTime(choice: IntegrationEvent, request: IntegrationEvent): boolean {
  return Date.parse(choice.spec.receivedTime) - Date.parse(request.spec.receivedTime) <= choosableMs;
}

function tooOld(event: IntegrationEvent): Post {
  const text = "This list is too old. Send the request again.";
  return replacing(newPost("Choice", event, { progress: "Pending", text }), event.spec.slack?.choice?.messageTS);
}

function isAnswered({ status }: Conversation, { eventUID }: Post): boolean {
  return status?.posts?.some((one) => one.kind === "Answer" && one.eventUID === eventUID) ?? false;
}

/** Whether the decision needs to know if what was chosen is still there. */
export function choiceNeedsReading(facts: ConversationFacts, event: IntegrationEvent): boolean {
  return facts.conversation !== undefined && obstacleOf(facts, facts.conversation, event) === undefined;
}

/** A choice starts the session of the request that was asked about; a second click finds its answer there. */
export function choose(
  facts: ConversationFacts,
  conversation: Conversation,
  event: IntegrationEvent,
  now: Date,
): Decision {
  const obstacle = obstacleOf(facts, conversation, event);
  if (obstacle === "answered") return settle(event, answeredBefore, now);
  if (obstacle === "denied")
    return refuse(conversation, event, { ...accessVerdict, text: rulesOf(event).accessDenied }, now);
  if (obstacle) return post(conversation, obstacle, now);
  const { reading } = facts;
  if (!reading) return { effects: [], requeueMs: 0 };
  if (reading.kind === "failed") return readLater(conversation, event, reading.error, now);
  const refusal = refusalOf(reading);
  if (refusal !== undefined) {
    return post(conversation, newPost("PrivateNote", event, { progress: "Pending", text: refusal }), now);
  }
  if (reading.target.kind === "target") {
    return begin(facts, conversation, { event, target: reading.target.target, reading }, now);
  }
  const text = "What you chose is no longer there. Choose again.";
  return post(conversation, newPost("PrivateNote", event, { progress: "Pending", text }), now);
}

/** Why a choice starts nothing though it counts; undefined where it may. */
function refusalOf(reading: PromptReading): string | undefined {
  if (reading.target.kind === "refused") return `${reading.target.message}.`;
  return reading.isEmpty ? emptyText(reading) : undefined;
}

type PromptReading = Extract<Reading, { kind: "read" }>;

function begin(
  facts: ConversationFacts,
  conversation: Conversation,
  { event, target, reading }: { event: IntegrationEvent; target: Target; reading: Reading },
  now: Date,
): Decision {
  const request = requestOf(facts, event) ?? event;
  // Another request of the thread may have started a session meanwhile.
  const session = mappedSession(facts, now);
  const text = session ? sentToOther(conversation.status?.target ?? target, target) : `Chosen: ${targetName(target)}`;
  const choice = newPost("Choice", event, { progress: "Pending", text });
  const added = [replacing(choice, event.spec.slack?.choice?.messageTS)];
  if (session) return followUp(conversation, { event: request, session, reading }, { now, added });
  return start(conversation, { event: request, target, reading }, { now, added });
}

/** What the person reads whose request goes to the session that its thread has. */
function sentToOther(current: Target, chosen: Target): string {
  const name = targetName(current);
  if (name === targetName(chosen)) return `Chosen: ${name}`;
  return `This thread has a session on ${name} already, so the request goes there and not to ${targetName(chosen)}.`;
}

function replacing(choice: Post, messageTS: string | undefined): Post {
  return choice.slack ? { ...choice, slack: { ...choice.slack, messageTS } } : choice;
}
