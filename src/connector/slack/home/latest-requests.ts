import type { Conversation, Integration, Post, Prompt, Session, Target } from "../../../api/v1alpha1/index.ts";
import { promptNameFor } from "../../conversations/facts.ts";
import { type Stage, stageOf } from "../../conversations/progress.ts";

/** Requests that a Home tab shows. */
export const shownRequests = 5;

/** A conversation in which a person asked, and what the person's last request in it is at. */
export interface LatestRequest {
  target: Target | undefined;
  channelID: string;
  stage: Stage;
  /** Its Session, where that is there. */
  session: { namespace: string; name: string } | undefined;
  /** When somebody last asked in the conversation. */
  lastPromptTime: string | undefined;
}

/** What was made for requests, by name; objects of the Integration's namespace alone. */
export interface MadeForRequests {
  conversations: readonly Conversation[];
  session: (name: string) => Session | undefined;
  prompt: (name: string) => Prompt | undefined;
}

/**
 * The latest conversations of an Integration in which a person asked for work, at most 5, the last one first. What Automations
 * were started by is none of them, nor is a conversation whose posts about the person's requests made room for those of others.
 */
export function latestRequests(made: MadeForRequests, integration: Integration, user: string): LatestRequest[] {
  return made.conversations
    .filter((conversation) => isOf(integration, conversation))
    .flatMap((conversation) => {
      const answer = conversation.status?.posts?.findLast((post) => post.kind === "Answer" && isFor(post, user));
      return answer ? [requestOf(made, conversation, answer)] : [];
    })
    .sort((left, right) => timeOf(right) - timeOf(left))
    .slice(0, shownRequests);
}

/** Of an Integration, and about a thread in which people ask. */
function isOf({ metadata: { namespace, uid } }: Integration, { metadata, spec }: Conversation): boolean {
  const isOurs = spec.integrationRef.uid === uid && metadata.namespace === namespace;
  return isOurs && spec.subject.startsWith("thread/");
}

function isFor({ slack }: Post, user: string): boolean {
  return slack?.userID === user;
}

function requestOf(made: MadeForRequests, { status }: Conversation, answer: Post): LatestRequest {
  const session = made.session(answer.sessionName ?? "");
  return {
    target: status?.target,
    channelID: answer.slack?.channelID ?? "",
    stage: stageOfAnswer(made, answer, session),
    session: session && nameOf(session),
    lastPromptTime: status?.lastPromptTime,
  };
}

/** Session and prompt are made after the post that answers them. */
function stageOfAnswer({ prompt: find }: MadeForRequests, answer: Post, session: Session | undefined): Stage {
  const prompt = session && find(promptNameFor(session, answer.eventUID));
  return !prompt && answer.progress === "Waiting" ? "waiting" : stageOf(session, prompt);
}

function nameOf({ metadata: { namespace = "", name = "" } }: Session): LatestRequest["session"] {
  return { namespace, name };
}

function timeOf({ lastPromptTime }: LatestRequest): number {
  return Date.parse(lastPromptTime ?? "") || 0;
}
