import { Prompt, Session } from "../api/v1alpha1/index.ts";
import { promptStateOf, type PromptState } from "../domain/prompts/index.ts";
import { sleep } from "../kube/sleep.ts";
import { keyOf, keyText } from "../lib/resource.ts";
import { CliError } from "./cli-error.ts";
import type { Invocation } from "./command.ts";

/** Pauses between looks, in milliseconds; the last one repeats. */
const pausesMs = [50, 100, 200, 500, 1_000];

/** A prompt and its session as they were last seen. */
export interface SeenPrompt {
  prompt: Prompt;
  session: Session | undefined;
  state: PromptState;
}

/**
 * Looks at a prompt and its session until what is seen is enough, or until the time is over; returns what was seen last.
 * @throws CliError when the prompt is deleted meanwhile
 */
export async function followPrompt(
  { cluster, clock }: Pick<Invocation, "cluster" | "clock">,
  prompt: Prompt,
  {
    isEnough,
    forMs,
    look,
  }: { isEnough: (seen: SeenPrompt) => boolean; forMs: number; look?: (seen: SeenPrompt) => void },
): Promise<SeenPrompt> {
  const { client } = cluster();
  const endMs = clock.monotonicMs() + forMs;
  const key = keyOf(prompt);
  const sessionKey = { namespace: key.namespace, name: prompt.spec.sessionRef.name };
  for (let looks = 0; ; looks += 1) {
    // The session first: a prompt that has left its queue meanwhile is seen as ended.
    const session = await client.find<Session>(Session, sessionKey);
    const found = await client.find<Prompt>(Prompt, key);
    if (!found) throw new CliError(`Prompt ${keyText(key)} was deleted while it was waited for`);
    const seen = { prompt: found, session, state: promptStateOf(found, session) };
    look?.(seen);
    const leftMs = endMs - clock.monotonicMs();
    if (isEnough(seen) || leftMs <= 0) return seen;
    await sleep(clock, Math.min(pausesMs[Math.min(looks, pausesMs.length - 1)] ?? 0, leftMs));
  }
}
