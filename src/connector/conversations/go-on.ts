import type { Conversation, Integration, IntegrationEvent, Post, Session } from "../../api/v1alpha1/index.ts";
import { type Decision, one, settle, write } from "./decision.ts";
import { answerTo, type ConversationFacts, promptFor, promptNameFor, type Reading, requestOf } from "./facts.ts";
import type { Verdict } from "./lifecycle.ts";
import { newPost } from "./posts.ts";
import { askedBy } from "./questions.ts";
import { accessVerdict, refusedVerdict as refused } from "./refuse.ts";
import { makeEventPrompt, makeSession } from "./resources.ts";
import { rulesOf } from "./rules.ts";
import { readLater } from "./start.ts";
import { withdrawn } from "./turns.ts";

/** The event has its post; what that promises is made, then the event is settled. */
export function goOn(
  facts: ConversationFacts,
  { conversation, event, own }: { conversation: Conversation; event: IntegrationEvent; own: Post },
  now: Date,
): Decision {
  const request = requestOf(facts, event);
  const answer = own.kind === "Choice" ? answerTo(conversation, request) : own;
  if (!request || answer?.kind !== "Answer") return settle(event, verdictOf(own, event), now);
  return goOnWithPrompt(facts, { conversation, event, request }, { answer, own }, now);
}

function goOnWithPrompt(
  facts: ConversationFacts,
  { conversation, event, request }: Step,
  { answer, own }: { answer: Post; own: Post },
  now: Date,
): Decision {
  const { uid = "" } = request.metadata;
  const isFirst = conversation.status?.startEventUID === uid;
  const session = facts.sessions.get(answer.sessionName ?? "");
  if (session && promptFor(facts, session, uid)) {
    return settle(event, promptedVerdict(session, request, isFirst), now);
  }
  if (answer.progress === "Dropped") return settle(event, withdrawn, now);
  if (isFirst) return goOnFirst(facts, { conversation, event, request, session }, now);
  // Where the session of a follow-up is gone, the event is handled as a new request.
  if (!session) return forget(conversation, [answer.id, own.id], now);
  return goOnFollowUp(facts, { conversation, event, request, session }, now);
}

interface Step {
  conversation: Conversation;
  event: IntegrationEvent;
  /** The event itself, or what it chose a target for. */
  request: IntegrationEvent;
}

/** Makes what is missing of a new session: itself, then its prompt. */
function goOnFirst(
  facts: ConversationFacts,
  { conversation, event, request, session }: Step & { session: Session | undefined },
  now: Date,
): Decision {
  const { integration, reading } = facts;
  if (!reading) return { effects: [], requeueMs: 0 };
  if (reading.kind === "failed") return readLater(conversation, event, reading.error, now);
  const asked = askedBy(facts, request);
  if (!session) {
    const { title } = reading;
    return one({ kind: "createSession", session: makeSession(integration, conversation, { event: asked, title }) });
  }
  return prompt(integration, { conversation, request, asked, session, ...reading }, now);
}

/** The request's Prompt, once it is noted that the person reads of what it lacks. */
function prompt(
  integration: Integration,
  {
    conversation,
    request,
    asked = request,
    session,
    text,
    images,
    imagesNote,
  }: Omit<Step, "event"> & { asked?: IntegrationEvent; session: Session } & Pick<
      PromptReading,
      "text" | "images" | "imagesNote"
    >,
  now: Date,
): Decision {
  if (imagesNote !== undefined) {
    const note = newPost("ImageNote", request, { progress: "Pending", text: imagesNote });
    const isNoted = conversation.status?.posts?.some(({ id }) => id === note.id) ?? false;
    if (!isNoted) return write(conversation, conversation.status ?? {}, [note], now);
  }
  const made = makeEventPrompt(integration, session, { event: request, asked, text, images });
  return one({ kind: "createPrompt", prompt: made });
}

type PromptReading = Extract<Reading, { kind: "read" }>;

function goOnFollowUp(
  facts: ConversationFacts,
  { conversation, event, request, session }: Step & { session: Session },
  now: Date,
): Decision {
  const { integration, reading } = facts;
  const own = rulesOf(request).followUpText?.(request, lastAnswer(facts, session));
  if (own === undefined && !reading) return { effects: [], requeueMs: 0 };
  if (own === undefined && reading?.kind === "failed") return readLater(conversation, event, reading.error, now);
  const read = reading?.kind === "read" ? reading : { text: "" };
  return prompt(integration, { conversation, request, session, ...read, ...(own !== undefined && { text: own }) }, now);
}

function forget(conversation: Conversation, ids: readonly string[], now: Date): Decision {
  const posts = (conversation.status?.posts ?? []).filter(({ id }) => !ids.includes(id));
  return write(conversation, { ...conversation.status, posts }, [], now);
}

function lastAnswer({ prompts }: ConversationFacts, session: Session): string | undefined {
  const ended = [...prompts.values()].filter(
    (prompt) => prompt.spec.sessionRef.name === session.metadata.name && prompt.status?.completionTime !== undefined,
  );
  const [last] = ended.toSorted((left, right) =>
    (right.status?.completionTime ?? "").localeCompare(left.status?.completionTime ?? ""),
  );
  return last?.status?.result?.summary;
}

function promptedVerdict(session: Session, { metadata }: IntegrationEvent, isFirst: boolean): Verdict {
  return {
    counted: isFirst ? "triggered" : "steered",
    succeeded: true,
    reason: isFirst ? "SessionStarted" : "SessionPrompted",
    message: isFirst ? "A session was started" : "A follow-up was sent to the session",
    sessionName: session.metadata.name,
    promptName: promptNameFor(session, metadata.uid ?? ""),
  };
}

export function verdictOf(own: Post, event: IntegrationEvent): Verdict {
  return verdicts[own.kind] ?? refusalVerdict(own, event);
}

function refusalVerdict({ kind, text = "" }: Post, event: IntegrationEvent): Verdict {
  if (kind === "Choice" || kind === "PrivateNote") return refused("ChoiceRefused", text);
  if (text === rulesOf(event).accessDenied) return accessVerdict;
  if (kind === "StopRefusal") return refused("StopFailed", "The session's prompts could not be cancelled");
  return refused("ProviderUnavailable", text);
}

/** Of posts whose kind says it all. */
const verdicts: Partial<Record<Post["kind"], Verdict>> = {
  StopNotice: { counted: "steered", succeeded: true, reason: "SessionStopped", message: "The session was stopped" },
  Help: { counted: "skipped", succeeded: true, reason: "NothingToDo", message: "The person was helped" },
  Question: refused("TargetUnknown", "The person was asked what it is about"),
};
