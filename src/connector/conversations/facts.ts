import type {
  Conversation,
  Integration,
  IntegrationEvent,
  Post,
  Prompt,
  PromptImage,
  Session,
  Target,
} from "../../api/v1alpha1/index.ts";
import { conversationName, promptName } from "../../domain/integrations/names.ts";
import type { ObjectKey } from "../../lib/resource.ts";
import type { ProviderError } from "../provider-error.ts";
import { rulesOf } from "./rules.ts";

/**
 * What a session would work on; `ask` = the person is asked, `gone` = what the person chose is no more there, `refused` = nothing
 * starts and nothing is said.
 */
export type FoundTarget =
  | { kind: "target"; target: Target }
  | { kind: "ask"; question: string; suggestions?: readonly Target[] }
  | { kind: "gone" }
  | { kind: "refused"; reason: "AccessDenied" | "TargetUnknown"; message: string };

/** What the provider said of the first event that waits, or how the call failed. */
export type Reading =
  | {
      kind: "read";
      title: string;
      text: string;
      target: FoundTarget;
      isWhole: boolean;
      /** Stored for the session, where it is there. */
      images?: readonly PromptImage[];
      /** What the person reads of images that are left out. */
      imagesNote?: string | undefined;
      /** Whether nothing is left to work on, as all was images that are left out. */
      isEmpty?: boolean;
    }
  | { kind: "failed"; error: ProviderError };

/** What a person reads whose request was nothing but images that are left out. */
export function emptyText({ imagesNote = "" }: Pick<Extract<Reading, { kind: "read" }>, "imagesNote">): string {
  return `${imagesNote} Nothing is left to work on: send the request again, with text or other images.`;
}

/** All that a decision about one conversation rests on, read once. */
export interface ConversationFacts {
  integration: Integration;
  /** Undefined before the first event. */
  conversation: Conversation | undefined;
  /** Events that are not settled: stops, then the others, each the oldest first. */
  events: readonly IntegrationEvent[];
  /** All events of the conversation by UID; those that are settled without their text. */
  known: ReadonlyMap<string, IntegrationEvent>;
  /** Sessions and Prompts of the conversation by name, those in deletion left out. */
  sessions: ReadonlyMap<string, Session>;
  prompts: ReadonlyMap<string, Prompt>;
  reading?: Reading | undefined;
}

/** The key of the conversation that an event belongs to. */
export function conversationKeyOf(event: IntegrationEvent): ObjectKey {
  return {
    namespace: event.metadata.namespace,
    name: conversationName(event.spec.integrationRef, rulesOf(event).subjectOf(event)),
  };
}

/** The question that an event answers by a choice; undefined for all other events, and where it is gone. */
export function questionOf(conversation: Conversation | undefined, { spec }: IntegrationEvent): Post | undefined {
  const postId = spec.slack?.choice?.postID;
  if (postId === undefined) return undefined;
  return conversation?.status?.posts?.find(({ id, kind }) => id === postId && kind === "Question");
}

/** The event whose request is to be worked on: for a choice the one that was asked about. */
export function requestOf(
  { conversation, known }: Pick<ConversationFacts, "conversation" | "known">,
  event: IntegrationEvent,
): IntegrationEvent | undefined {
  if (rulesOf(event).askOf(event) !== "Chosen") return event;
  return known.get(questionOf(conversation, event)?.eventUID ?? "");
}

/** The Prompt of a Session for an event; undefined where there is none yet, or no more. */
export function promptFor(
  { prompts }: Pick<ConversationFacts, "prompts">,
  session: Session,
  eventUid: string,
): Prompt | undefined {
  return prompts.get(promptNameFor(session, eventUid));
}

export function promptNameFor({ metadata }: Session, eventUid: string): string {
  const { name = "", uid = "" } = metadata;
  return promptName({ name, uid }, eventUid);
}

/** The session that follow-ups go to, as long as its 7 days last; undefined where it is gone. */
export function mappedSession(
  { conversation, sessions }: Pick<ConversationFacts, "conversation" | "sessions">,
  now: Date,
): Session | undefined {
  return hasMapping(conversation, now) ? sessions.get(conversation?.status?.sessionName ?? "") : undefined;
}

/** Whether follow-ups would go to a session, were it there. */
export function hasMapping(conversation: Conversation | undefined, now: Date): boolean {
  const { sessionName, expireTime } = conversation?.status ?? {};
  return sessionName !== undefined && expireTime !== undefined && now.getTime() <= Date.parse(expireTime);
}

/** Whether an event still waits to be handled. */
export function isUnsettled({ status, metadata }: IntegrationEvent): boolean {
  return status?.settledTime === undefined && metadata.deletionTimestamp === undefined;
}

/** The name of the Repository or Environment of a target. */
export function targetName({ repositoryRef, environmentRef }: Target): string {
  return repositoryRef?.name ?? environmentRef?.name ?? "";
}

/** The session that the prompt for a request goes to, where it is there. */
export function sessionFor(
  facts: Pick<ConversationFacts, "conversation" | "sessions">,
  request: IntegrationEvent,
  now: Date,
): Session | undefined {
  const answer = answerTo(facts.conversation, request);
  return answer ? facts.sessions.get(answer.sessionName ?? "") : mappedSession(facts, now);
}

/** The post that says what becomes of a request for a prompt. */
export function answerTo(
  conversation: Conversation | undefined,
  request: IntegrationEvent | undefined,
): Post | undefined {
  const uid = request?.metadata.uid;
  return conversation?.status?.posts?.find(({ kind, eventUID }) => kind === "Answer" && eventUID === uid);
}
