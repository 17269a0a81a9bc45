import type { Prompt } from "../../api/v1alpha1/prompt.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import { isSettled } from "./prompt-state.ts";

/** A session's unfinished prompts in the order to cancel them: the processed one last, so that none begins meanwhile. */
export function cancelOrder(prompts: readonly Prompt[], { status }: Session): Prompt[] {
  const { queue = [] } = status ?? {};
  const placeOf = ({ metadata }: Prompt): number => {
    const at = queue.indexOf(metadata.uid ?? "");
    return at < 0 ? queue.length : at;
  };
  return prompts.filter((prompt) => !isSettled(prompt)).sort((a, b) => placeOf(b) - placeOf(a));
}
