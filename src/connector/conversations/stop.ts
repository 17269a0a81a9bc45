import type { Conversation, IntegrationEvent, Prompt, Session } from "../../api/v1alpha1/index.ts";
import { isSettled } from "../../domain/prompts/prompt-state.ts";
import { type Decision, settle, write } from "./decision.ts";
import { type ConversationFacts, hasMapping, mappedSession } from "./facts.ts";
import { settledStatus, type Verdict } from "./lifecycle.ts";
import { newPost } from "./posts.ts";

export const nothingToStop: Verdict = {
  counted: "skipped",
  succeeded: true,
  reason: "NothingToDo",
  message: "No session is at work on it",
};

/** Cancels what the session is at; the mapping goes only where that succeeded. */
export function stop(
  facts: ConversationFacts,
  conversation: Conversation,
  event: IntegrationEvent,
  now: Date,
): Decision {
  if (!hasMapping(conversation, now)) return settle(event, nothingToStop, now);
  const session = mappedSession(facts, now);
  const prompts = session ? openPrompts(facts, session) : [];
  const { sessionName } = conversation.status ?? {};
  const unmapped = { sessionName: undefined, startEventUID: undefined, target: undefined, expireTime: undefined };
  const posts = (conversation.status?.posts ?? []).map((waiting) =>
    waiting.sessionName === sessionName && waiting.progress === "Waiting"
      ? { ...waiting, progress: "Dropped" as const }
      : waiting,
  );
  const notice = newPost("StopNotice", event, { progress: "Pending", text: "Stopped." });
  const written = write(conversation, { ...conversation.status, ...unmapped, posts }, [notice], now);
  if (written.effects.length === 0) return written;
  const failed: Verdict = {
    counted: "skipped",
    succeeded: false,
    reason: "StopFailed",
    message: "The session's prompts could not be cancelled",
    sessionName,
  };
  const cancel = { kind: "cancelPrompts" as const, prompts, event, otherwise: settledStatus(event, failed, now) };
  return { effects: [cancel, ...written.effects] };
}

function openPrompts({ prompts }: ConversationFacts, session: Session): Prompt[] {
  return [...prompts.values()].filter(
    (prompt) => prompt.spec.sessionRef.name === session.metadata.name && !isSettled(prompt),
  );
}
