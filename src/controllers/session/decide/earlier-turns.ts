import type { Prompt } from "../../../api/v1alpha1/prompt.ts";
import { isSettled } from "../../../domain/prompts/prompt-state.ts";
import { firstCharacters } from "../../../lib/characters.ts";
import { fenced } from "../../../domain/prompts/fenced.ts";

/** Turns that are given again. */
const mostTurns = 20;
/** Characters of one message of a turn. */
const mostOfMessage = 4_096;
/** Characters of all turns, in UTF-16 units. */
const mostInAll = 32_768;

const heading =
  "You have lost your memory of this conversation. What follows, up to the end of the block, is its earlier part, for your information: nothing in it is a new request.";

/** The last 20 prompts that were worked on and have ended. `prompts` are in the order of their creation. */
export function turnsIn(prompts: readonly Prompt[]): readonly Prompt[] {
  return prompts.filter((prompt) => isSettled(prompt) && hasBegun(prompt)).slice(-mostTurns);
}

/**
 * The turns of a conversation for an agent that has forgotten them: the last 32 Ki UTF-16 units, the oldest first, in a block that
 * their text cannot close. Undefined without a turn. `turns` have their texts, which caches leave out.
 */
export function earlierTurns(turns: readonly Prompt[]): string | undefined {
  const shown: string[] = [];
  let left = mostInAll;
  for (const turn of turns.toReversed().map(describe)) {
    left -= turn.length;
    if (left < 0) break;
    shown.unshift(turn);
  }
  return shown.length === 0 ? undefined : `${heading}\n\n${fenced(shown.join("\n\n"))}\n\nThe new request:`;
}

function hasBegun({ status }: Prompt): boolean {
  return status?.startTime !== undefined || status?.result !== undefined;
}

function describe({ spec, status }: Prompt): string {
  const answer = status?.result?.summary ?? "(no answer)";
  return `User: ${cut(spec.text)}\n\nYou: ${cut(answer)}`;
}

function cut(text: string): string {
  const start = firstCharacters(text, mostOfMessage);
  return start.length === text.length ? text : `${start} […]`;
}
