import { conditionTypes, Prompt, type Session } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import { branchWords, pushedBranches } from "../../domain/prompts/pushed-branches.ts";
import { succeededOf } from "../../domain/prompts/prompt-state.ts";
import { keyOf, keyText } from "../../lib/resource.ts";
import type { SeenPrompt } from "../commands/follow-prompt.ts";
import { shownAs } from "./listed.ts";
import { mediaText } from "./shown-media.ts";
import type { Printable } from "./printable.ts";

/** The progress of an unfinished prompt. */
export function progressText({ prompt, session, state }: SeenPrompt): string {
  const name = nameOf(prompt);
  if (state === "processing") return `${name} is processed`;
  if (state === "created" || !session) return `${name} waits for the controller`;
  const ahead = session.status?.queue?.indexOf(prompt.metadata.uid ?? "") ?? 0;
  return ahead > 0 ? `${name} waits; ${ahead} before it` : `${name} is next${sandboxText(session)}`;
}

function sandboxText({ status }: Session): string {
  const ready = findCondition(status?.conditions, conditionTypes.ready);
  return ready?.status === "False" ? `; the sandbox: ${ready.reason}, ${ready.message}` : "";
}

/** How a prompt ended; any end but success fails the command. */
export function shownEnd({ prompt }: SeenPrompt): Printable {
  const { status, reason = "", message = "" } = succeededOf(prompt) ?? {};
  const forms = shownAs(Prompt, prompt);
  const { result } = prompt.status ?? {};
  const files = mediaText(prompt);
  const pushed = pushedBranches(result).map((branch) => `Branch: ${branchWords(branch)}`);
  const said = [result?.summary ?? "", files].filter((text) => text !== "").join("\n\n");
  const inLines = (...lines: string[]): string => lines.filter((line) => line !== "").join("\n");
  if (status !== "True") {
    return { text: inLines(...pushed, said), ...forms, failure: `${nameOf(prompt)} ended as ${reason}: ${message}` };
  }
  return { text: inLines(`${nameOf(prompt)} completed`, ...pushed, said), ...forms };
}

export function nameOf(prompt: Prompt): string {
  return `Prompt ${keyText(keyOf(prompt))}`;
}
