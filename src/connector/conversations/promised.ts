import { type Post, Prompt, Session } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { KubeObject } from "../../lib/resource.ts";
import type { Made } from "./effects.ts";
import { answerTo, type ConversationFacts, hasMapping, promptNameFor, requestOf } from "./facts.ts";
import { rulesOf } from "./rules.ts";

type Facts = Pick<ConversationFacts, "conversation" | "events" | "known" | "sessions" | "prompts">;

/**
 * Reads the Sessions and Prompts that the decision would take for gone, as caches do not have them: a cache may be behind those of other
 * kinds, and does not learn of a create whose answer was lost. Notes as made what is there, and says whether there was any.
 */
export async function findPromised(
  client: Pick<KubeClient, "find">,
  { facts, made }: { facts: Facts; made: Made },
  now: Date,
): Promise<boolean> {
  const { namespace, uid } = facts.conversation?.metadata ?? {};
  const sessions = new Map<string, Session>();
  for (const name of promisedSessions(facts, now)) {
    const session = await client.find(Session, { namespace, name });
    if (isChild(session, uid)) sessions.set(name, session);
  }
  const prompts = new Map<string, Prompt>();
  const known = { ...facts, sessions: new Map([...facts.sessions, ...sessions]) };
  for (const { name, sessionUid } of promisedPrompts(known)) {
    const prompt = await client.find(Prompt, { namespace, name });
    if (isChild(prompt, sessionUid)) prompts.set(name, prompt);
  }
  for (const [name, session] of sessions) made.sessions.set(name, session);
  for (const [name, prompt] of prompts) made.prompts.set(name, prompt);
  return sessions.size + prompts.size > 0;
}

/** Names of the sessions that posts wait for, or that the first event would go to. One that it would start is made anyway. */
function promisedSessions(facts: Facts, now: Date): string[] {
  const names = awaitedPosts(facts).map(({ sessionName }) => sessionName);
  if (facts.events.length > 0 && !startsSession(facts)) {
    names.push(firstAnswer(facts)?.sessionName);
    if (hasMapping(facts.conversation, now)) names.push(facts.conversation?.status?.sessionName);
  }
  return [...new Set(names)].filter((name) => name !== undefined).filter((name) => !facts.sessions.has(name));
}

/** The prompts that posts wait for, or that a stop would cancel. */
function promisedPrompts(facts: Facts): { name: string; sessionUid: string | undefined }[] {
  const posts = isStop(facts) ? waitingPosts(facts) : awaitedPosts(facts);
  return posts.flatMap(({ sessionName = "", eventUID }) => {
    const session = facts.sessions.get(sessionName);
    const name = session && promptNameFor(session, eventUID);
    return name === undefined || facts.prompts.has(name) ? [] : [{ name, sessionUid: session?.metadata.uid }];
  });
}

/** Posts that wait for the end of a prompt which is the conversation's own. */
function waitingPosts({ conversation }: Facts): Post[] {
  const posts = conversation?.status?.posts ?? [];
  return posts.filter(({ progress, promptName }) => progress === "Waiting" && promptName === undefined);
}

/** Those of them whose prompt was made. */
function awaitedPosts(facts: Facts): Post[] {
  const waiting = new Set(facts.events.flatMap((event) => [event.metadata.uid, requestOf(facts, event)?.metadata.uid]));
  return waitingPosts(facts).filter(({ eventUID }) => !waiting.has(eventUID));
}

/** Whether the first event is the one that the present session is made for. */
function startsSession(facts: Facts): boolean {
  const request = firstRequest(facts);
  return request !== undefined && request.metadata.uid === facts.conversation?.status?.startEventUID;
}

function firstAnswer(facts: Facts): Post | undefined {
  return answerTo(facts.conversation, firstRequest(facts));
}

function firstRequest(facts: Facts) {
  const [event] = facts.events;
  return event && requestOf(facts, event);
}

function isStop({ events: [event] }: Facts): boolean {
  return event !== undefined && rulesOf(event).askOf(event) === "Stopped";
}

function isChild<T extends KubeObject>(object: T | undefined, ownerUid: string | undefined): object is T {
  const { deletionTimestamp, ownerReferences } = object?.metadata ?? {};
  return object !== undefined && deletionTimestamp === undefined && ownerReferences?.[0]?.uid === ownerUid;
}
