import type { Conversation, IntegrationEvent, Prompt, Run, Session } from "../../../api/v1alpha1/index.ts";
import { isReply } from "../../../domain/integrations/slack-wanted.ts";
import { longestQueue } from "../../../domain/prompts/queue-limit.ts";
import { isSettled } from "../../../domain/runs/run-state.ts";
import { slackOf } from "../rules.ts";

/** What is known of the thread of a message at one Automation; all of it is undefined for a message that is the first to come of its thread. */
export interface ThreadFacts {
  conversation?: Conversation | undefined;
  /** The Run that a message of the thread started last, and its session. */
  run?: Run | undefined;
  session?: Session | undefined;
  /** The Prompt of the session for this message, where an earlier pass made it. */
  prompt?: Prompt | undefined;
  /** Prompts of the session that have not ended. */
  unfinishedPrompts: number;
}

/**
 * What a message does: it has started the thread's Run before, a reply to it has, it goes to that Run's session, it comes before
 * there is one, or it would start a Run.
 */
export type Course =
  | { kind: "started"; runName: string }
  | { kind: "startedByReply"; runName: string }
  | { kind: "steer"; conversation: Conversation; session: Session }
  | { kind: "early"; conversation: Conversation }
  | { kind: "start" };

/** Replies go to the session of the thread's Run for 7 days from the message that started it, whatever became of it; then they count as new. */
export function courseOf(event: IntegrationEvent, facts: ThreadFacts): Course {
  const { conversation } = facts;
  const { runName, startEventUID } = conversation?.status ?? {};
  if (!conversation || runName === undefined) return { kind: "start" };
  if (startEventUID === event.metadata.uid) return { kind: "started", runName };
  if (isReply(slackOf(event))) return courseOfReply(event, conversation, facts);
  // Slack may deliver a reply first; the agent of its Run has the thread's first message before it.
  return isWithin(event, conversation) ? { kind: "startedByReply", runName } : { kind: "start" };
}

function courseOfReply(event: IntegrationEvent, conversation: Conversation, facts: ThreadFacts): Course {
  const { session } = facts;
  if (session && isFor(session, { event, conversation, facts })) return { kind: "steer", conversation, session };
  const isEarly = isWithin(event, conversation) && mayComeYet(facts);
  return isEarly ? { kind: "early", conversation } : { kind: "start" };
}

/** Whether a reply goes to a session; one that an earlier pass has made a prompt of stays there. */
function isFor(
  session: Session,
  { event, conversation, facts }: { event: IntegrationEvent; conversation: Conversation; facts: ThreadFacts },
): boolean {
  return facts.prompt !== undefined || (isWithin(event, conversation) && takesPrompts(session, facts));
}

function isWithin({ spec }: IntegrationEvent, { status }: Conversation): boolean {
  return status?.expireTime !== undefined && Date.parse(spec.receivedTime) <= Date.parse(status.expireTime);
}

function mayComeYet({ run, session }: ThreadFacts): boolean {
  return !session && run !== undefined && run.metadata.deletionTimestamp === undefined && !isSettled(run);
}

function takesPrompts({ metadata }: Session, { unfinishedPrompts }: ThreadFacts): boolean {
  return metadata.deletionTimestamp === undefined && unfinishedPrompts < longestQueue;
}
