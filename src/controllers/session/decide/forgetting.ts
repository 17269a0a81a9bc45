import { annotations } from "../../../api/v1alpha1/names.ts";
import type { Prompt } from "../../../api/v1alpha1/prompt.ts";
import { isSettled } from "../../../domain/prompts/prompt-state.ts";
import { firstPromptName } from "../../../domain/prompts/first-prompt-name.ts";
import type { SessionFacts } from "../facts.ts";

/** Ended prompts that a session keeps. */
const mostEnded = 200;

/** A prompt of the REST API stays this long after its end, in milliseconds: its name makes a repeated request the same. */
const repeatableMs = 86_400_000;

/** Prompts deleted in one pass; the next one goes on. */
const mostAtOnce = 50;

/**
 * Ended prompts to delete, the oldest first: those beyond the newest 200. The first prompt of a Run stays, since the Run is
 * judged by it.
 */
export function promptsToForget({ session, prompts }: SessionFacts, now: Date): Prompt[] {
  const ended = prompts.filter(isSettled).sort((left, right) => endOf(left) - endOf(right));
  return ended
    .slice(0, Math.max(0, ended.length - mostEnded))
    .filter(({ metadata }) => metadata.name !== firstPromptName(session.metadata.name ?? ""))
    .filter((prompt) => !isRepeatable(prompt, now))
    .slice(0, mostAtOnce);
}

function isRepeatable(prompt: Prompt, now: Date): boolean {
  const isRequested = prompt.metadata.annotations?.[annotations.requestedBy] !== undefined;
  return isRequested && now.getTime() < endOf(prompt) + repeatableMs;
}

function endOf({ status }: Prompt): number {
  return Date.parse(status?.completionTime ?? "") || 0;
}
