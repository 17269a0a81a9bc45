import { Prompt } from "../../api/v1alpha1/index.ts";
import { isSettled } from "../../domain/prompts/prompt-state.ts";
import { keyOf } from "../../lib/resource.ts";
import type { Invocation } from "../command.ts";
import { followPrompt } from "./follow-prompt.ts";

/** The controller ends it within a second; longer says that none is at work. */
const endedWithinMs = 10_000;

/** Asks for a prompt's end and waits a little for it; returns the prompt as it was last seen. */
export async function cancelPrompt(invocation: Pick<Invocation, "cluster" | "clock">, prompt: Prompt): Promise<Prompt> {
  if (isSettled(prompt)) return prompt;
  // The UID is a condition: another prompt of this name is left alone.
  const patch = { metadata: { uid: prompt.metadata.uid }, spec: { cancel: true } };
  const patched = await invocation.cluster().client.patch<Prompt>(Prompt, keyOf(prompt), patch);
  const isEnded = { isEnough: ({ state }: { state: string }) => state === "ended", forMs: endedWithinMs };
  return (await followPrompt(invocation, patched, isEnded)).prompt;
}
