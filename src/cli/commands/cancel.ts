import { Prompt } from "../../api/v1alpha1/index.ts";
import { succeededOf } from "../../domain/prompts/prompt-state.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { existingPrompt } from "../cluster/existing-objects.ts";
import { cancelPrompt } from "./cancel-prompt.ts";
import { defineCommand } from "../command.ts";
import { shownAs } from "../output/listed.ts";
import { nameOf } from "../output/shown-prompt.ts";

export const cancel = defineCommand({
  name: "cancel",
  summary: "cancel a Prompt, whether it waits or is being processed",
  details:
    "Sets spec.cancel with your own permissions. The agent stops work on this prompt, and the session continues with its next one. The command fails if the prompt had already ended.",
  parameters: ["PROMPT"],
  flags: {},
  formats: ["json", "yaml", "name"],
  examples: ["cancel demo/upgrade-x7k2pq3a5b"],
  async run(invocation) {
    const found = await existingPrompt(invocation.cluster(), nameArgument("Prompt", invocation));
    const ended = await cancelPrompt(invocation, found);
    const { reason, message = "" } = succeededOf(ended) ?? {};
    const forms = shownAs(Prompt, ended);
    if (reason === "Cancelled") return { text: `${nameOf(ended)} was ${message}`, ...forms };
    if (reason === undefined)
      return { text: `${nameOf(ended)} will be cancelled; no controller has seen the request yet`, ...forms };
    return { text: "", ...forms, failure: `${nameOf(ended)} had ended already as ${reason}: ${message}` };
  },
});
