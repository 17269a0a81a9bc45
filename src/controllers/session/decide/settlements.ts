import type { Prompt } from "../../../api/v1alpha1/prompt.ts";
import { type Reason, reasons } from "../../../api/v1alpha1/reasons.ts";
import type { Sandbox } from "../../../api/v1alpha1/session-sandbox.ts";
import type { Session, SessionStatus } from "../../../api/v1alpha1/session.ts";
import { reachedMessage } from "../../../domain/costs/limit.ts";
import { queueFullMessage } from "../../../domain/prompts/queue-limit.ts";
import { failedStatus } from "../../failed-prompt.ts";
import type { AttemptEnd } from "../../sandbox/facts.ts";
import type { SessionEffect, SessionEvent } from "../effects.ts";
import type { SessionFacts } from "../facts.ts";
import { storedReadiness } from "../lifecycle.ts";
import { foldCost, reachedCost } from "./cost.ts";
import { queueOf } from "./queue.ts";
import { bootedTooLong, interruption, isSaving } from "./saving.ts";
import { failsPrompt } from "./start.ts";

/** A prompt that ends without the agent, and why. */
interface Settlement extends AttemptEnd {
  prompt: Prompt;
  /** A child's session, where it is a child's. */
  session?: Session;
}

type SettlePrompt = Extract<SessionEffect, { kind: "settlePrompt" }>;

/**
 * Settles prompts that end by what is stored: cancelled ones first, since they make room before one too many is refused.
 * `facts` are those once the effects were carried out.
 */
export function settlePrompts(given: SessionFacts, now: Date): { facts: SessionFacts; effects: SettlePrompt[] } {
  const effects: SettlePrompt[] = [];
  let facts = given;
  for (const step of [
    cancelledChildren,
    cancelled,
    beyondLimit,
    refusedWithStart,
    cutShort,
    withoutTime,
    overCost,
    lost,
  ]) {
    const settled = step(facts, now).map((one): SettlePrompt => {
      return {
        kind: "settlePrompt",
        prompt: one.prompt,
        status: failedStatus(one.prompt, one, now, one.session ?? facts.session),
        event: eventOf(one),
      };
    });
    facts = afterSettling(facts, settled);
    effects.push(...settled);
  }
  return { facts, effects };
}

function eventOf({ prompt, reason, message }: Settlement): SessionEvent {
  const name = `Prompt ${prompt.metadata.name ?? ""}`;
  if (reason === reasons.cancelled) return { type: "Normal", reason, note: `${name} was ${message}` };
  return { type: "Warning", reason, note: `${name} failed: ${message}` };
}

function afterSettling(facts: SessionFacts, settled: readonly SettlePrompt[]): SessionFacts {
  if (settled.length === 0) return facts;
  const statuses = new Map(settled.map(({ prompt, status }) => [prompt, status]));
  const prompts = facts.prompts.map((prompt) => {
    const status = statuses.get(prompt);
    return status ? { ...prompt, status } : prompt;
  });
  return { ...facts, prompts, queue: queueOf(facts.session, prompts) };
}

/** What children do for a prompt that is cancelled; before that prompt, so that none is forgotten when an effect fails. */
function cancelledChildren({ queue, children }: SessionFacts): Settlement[] {
  if (!queue.current?.spec.cancel) return [];
  const message = "cancelled with the prompt of its parent session";
  return children.flatMap(({ unfinished }) =>
    unfinished.map((one) => ({ ...one, reason: reasons.cancelled, message })),
  );
}

function cancelled({ queue }: SessionFacts): Settlement[] {
  return [...queue.unfinished, ...queue.excess]
    .filter(({ spec }) => spec.cancel)
    .map((prompt) => {
      const message = prompt === queue.current ? "cancelled while it was processed" : "cancelled before it began";
      return { prompt, reason: reasons.cancelled, message };
    });
}

function beyondLimit({ queue }: SessionFacts): Settlement[] {
  return queue.excess.map((prompt) => ({ prompt, reason: reasons.queueFull, message: queueFullMessage }));
}

/** No prompt can be worked on before a person changes something. */
function refusedWithStart({ obstacle, queue }: SessionFacts): Settlement[] {
  if (obstacle?.kind !== "refused") return [];
  return queue.unfinished.map((prompt) => ({ prompt, ...obstacle.refusal }));
}

/** The prompt that is processed when the workspace is to be saved. */
function cutShort(facts: SessionFacts): Settlement[] {
  const { status } = facts.session;
  const { current } = facts.queue;
  return current && status && isSaving(status) ? [{ prompt: current, ...interruption(facts, status) }] : [];
}

/** The prompt that no sandbox leaves any time. */
function withoutTime(facts: SessionFacts): Settlement[] {
  const { status } = facts.session;
  const [prompt] = facts.queue.unfinished;
  const end = status && bootedTooLong(facts, status);
  return end && prompt ? [{ prompt, ...end }] : [];
}

/** The prompt that is processed when the cost reaches its limit. */
function overCost(facts: SessionFacts, now: Date): Settlement[] {
  const { session, queue, family } = facts;
  if (!queue.current || !session.status) return [];
  const reached = reachedCost(facts, foldCost(facts, session.status, { left: [], now }));
  if (!reached) return [];
  return [{ prompt: queue.current, reason: reasons.costLimitReached, message: reachedMessage(reached, family) }];
}

/** Prompts that fail with an attempt whose end is stored: the processed one, and one that it could not start for. */
function lost({ session, queue, start }: SessionFacts): Settlement[] {
  const { status = {} } = session;
  const { sandbox } = status;
  if (sandbox?.endTime === undefined) return [];
  const { current } = queue;
  const [first] = queue.unfinished.filter((prompt) => prompt !== current);
  const unstarted = first && !start && failsPrompt(sandbox, first.metadata.uid) ? [first] : [];
  return [...(current ? [current] : []), ...unstarted].map((prompt) => ({ prompt, ...storedEnd(status, sandbox) }));
}

function storedEnd(status: SessionStatus, { endReason = reasons.sandboxLost }: Sandbox): AttemptEnd {
  const stored = storedReadiness(status);
  const message = stored?.reason === endReason ? stored.message : "the sandbox ended";
  // The reason is one that this controller wrote.
  return { reason: endReason as Reason, message };
}
