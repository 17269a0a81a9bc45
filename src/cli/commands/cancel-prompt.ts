import { Prompt } from "../../api/v1alpha1/index.ts";
import { isSettled } from "../../domain/prompts/prompt-state.ts";
import { keyOf } from "../../lib/resource.ts";
import type { Invocation } from "../command.ts";
import { followPrompt } from "./follow-prompt.ts";
import { controllerMs } from "./poll.ts";

/** Cancels a prompt and waits up to 10 seconds for its end; returns the prompt as it was read last. */
export async function cancelPrompt(invocation: Pick<Invocation, "cluster" | "clock">, prompt: Prompt): Promise<Prompt> {
  if (isSettled(prompt)) return prompt;
  // The UID is a precondition, so that another prompt of this name is not cancelled.
  const patch = { metadata: { uid: prompt.metadata.uid }, spec: { cancel: true } };
  const patched = await invocation.cluster().client.patch<Prompt>(Prompt, keyOf(prompt), patch);
  const isEnded = { isEnough: ({ state }: { state: string }) => state === "ended", forMs: controllerMs };
  return (await followPrompt(invocation, patched, isEnded)).prompt;
}
