import { Prompt, Session } from "../../api/v1alpha1/index.ts";
import { promptStateOf, type PromptState } from "../../domain/prompts/prompt-state.ts";
import { keyOf, keyText } from "../../lib/resource.ts";
import { CliError } from "../cli-error.ts";
import type { Invocation } from "../command.ts";
import { poll } from "./poll.ts";

/** A prompt and its session at one moment. */
export interface SeenPrompt {
  prompt: Prompt;
  session: Session | undefined;
  state: PromptState;
}

/**
 * Reads a prompt and its session repeatedly until `isEnough`, at most for `forMs`; returns what it read last.
 * @throws CliError when the prompt is deleted meanwhile
 */
export async function followPrompt(
  { cluster, clock }: Pick<Invocation, "cluster" | "clock">,
  prompt: Prompt,
  {
    onSeen,
    ...patience
  }: { isEnough: (seen: SeenPrompt) => boolean; forMs: number; onSeen?: (seen: SeenPrompt) => void },
): Promise<SeenPrompt> {
  const { client } = cluster();
  const key = keyOf(prompt);
  const sessionKey = { namespace: key.namespace, name: prompt.spec.sessionRef.name };
  const look = async (): Promise<SeenPrompt> => {
    // The session first: a prompt that leaves the queue between the two reads has ended.
    const session = await client.find<Session>(Session, sessionKey);
    const found = await client.find<Prompt>(Prompt, key);
    if (!found) throw new CliError(`Prompt ${keyText(key)} was deleted while it was waited for`);
    const seen = { prompt: found, session, state: promptStateOf(found, session) };
    onSeen?.(seen);
    return seen;
  };
  return poll(clock, look, patience);
}
