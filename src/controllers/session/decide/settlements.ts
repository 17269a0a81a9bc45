import type { Prompt } from "../../../api/v1alpha1/prompt.ts";
import { type Reason, reasons } from "../../../api/v1alpha1/reasons.ts";
import { queueFullMessage } from "../../../domain/prompts/queue-limit.ts";
import type { SessionFacts } from "../facts.ts";
import { storedReadiness } from "../lifecycle.ts";
import { failedStatus } from "./failed-prompt.ts";
import { queueOf } from "./queue.ts";
import { interruption } from "./saving.ts";
import { failsPrompt } from "./start.ts";

/** A prompt that ends without the agent, and why. */
export interface Settlement {
  prompt: Prompt;
  reason: Reason;
  message: string;
}

/** The facts once these prompts have ended. */
export function afterSettling(facts: SessionFacts, settlements: readonly Settlement[], now: Date): SessionFacts {
  if (settlements.length === 0) return facts;
  const ended = new Map(settlements.map((one) => [one.prompt, one]));
  const prompts = facts.prompts.map((prompt) => {
    const settlement = ended.get(prompt);
    return settlement ? { ...prompt, status: failedStatus(prompt, settlement, now) } : prompt;
  });
  return { ...facts, prompts, queue: queueOf(facts.session, prompts) };
}

/** Prompts that end by what is stored: cancelled ones first, since they make room before one too many is refused. */
export function settlementsOf(facts: SessionFacts, now: Date): Settlement[] {
  const steps = [cancelled, beyondLimit, refusedWithStart, cutShort, lost];
  const all: Settlement[] = [];
  let next = facts;
  for (const step of steps) {
    const settlements = step(next);
    next = afterSettling(next, settlements, now);
    all.push(...settlements);
  }
  return all;
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
function cutShort({ session: { status }, queue: { current } }: SessionFacts): Settlement[] {
  const { snapshotTime, endTime } = status?.sandbox ?? {};
  const isSaving = snapshotTime !== undefined && endTime === undefined;
  return current && status && isSaving ? [{ prompt: current, ...interruption(status) }] : [];
}

/** Prompts that fail with an attempt whose end is stored: the processed one, and one that it could not start for. */
export function lost({ session, queue, start }: SessionFacts): Settlement[] {
  const { status = {} } = session;
  const { sandbox } = status;
  if (sandbox?.endTime === undefined) return [];
  const { endReason = reasons.sandboxLost } = sandbox;
  const stored = storedReadiness(status);
  const message = stored?.reason === endReason ? stored.message : "the sandbox ended";
  const { current } = queue;
  const [first] = queue.unfinished.filter((prompt) => prompt !== current);
  const unstarted = first && !start && failsPrompt(sandbox, first.metadata.uid) ? [first] : [];
  // The reason is one that this controller wrote.
  return [...(current ? [current] : []), ...unstarted].map((prompt) => ({ prompt, reason: endReason as Reason, message }));
}
