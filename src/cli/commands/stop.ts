import { Prompt, Session } from "../../api/v1alpha1/index.ts";
import { succeededOf } from "../../domain/prompts/prompt-state.ts";
import { keyOf, keyText } from "../../lib/resource.ts";
import { cancelPrompt } from "./cancel-prompt.ts";
import { defineCommand } from "../command.ts";
import { shownAs } from "../output/listed.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { existingSession } from "../cluster/existing-objects.ts";
import { nameOf } from "../output/shown-prompt.ts";

export const stop = defineCommand({
  name: "stop",
  summary: "cancel the Prompt that a Session is processing",
  details:
    "Cancels it with your own permissions. The session then continues with the next prompt that waits. To end a session for good, delete it.",
  parameters: ["SESSION"],
  flags: {},
  formats: ["json", "yaml", "name"],
  examples: ["stop demo/upgrade"],
  async run(invocation) {
    const session = await existingSession(invocation.cluster(), nameArgument("Session", invocation));
    const { namespace } = session.metadata;
    const name = `Session ${keyText(keyOf(session))}`;
    const { currentPrompt } = session.status ?? {};
    const found =
      currentPrompt &&
      (await invocation.cluster().client.find<Prompt>(Prompt, { namespace, name: currentPrompt.name }));
    if (!found) return { text: `${name} processes nothing`, ...shownAs(Session, session) };
    const ended = await cancelPrompt(invocation, found);
    const { reason = "still processed", message = "no controller has seen it yet" } = succeededOf(ended) ?? {};
    return { text: `${name} was stopped; ${nameOf(ended)}: ${reason}, ${message}`, ...shownAs(Prompt, ended) };
  },
});
