import { Prompt, type Session } from "../../api/v1alpha1/index.ts";
import { cancelOrder } from "../../domain/prompts/cancel-order.ts";
import { isSettled, succeededOf } from "../../domain/prompts/prompt-state.ts";
import { keyOf, keyText } from "../../lib/resource.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { existingSession } from "../cluster/existing-objects.ts";
import { defineCommand, type Invocation } from "../command.ts";
import { listedAs } from "../output/listed.ts";
import { controllerMs, poll } from "./poll.ts";

/** Prompts per page: each may have 250 KB of text. */
const pageSize = 50;

export const sessionCancel = defineCommand({
  name: "session cancel",
  summary: "cancel all unfinished Prompts of a Session, and keep the Session",
  details:
    "Cancels the prompt that is processed and those that wait, with your own permissions. The Session, its workspace and its child sessions stay, and it takes further prompts. To cancel only the prompt that is processed: kubectl runwright stop. To end a session for good, delete it.",
  parameters: ["SESSION"],
  flags: {},
  formats: ["json", "yaml", "name"],
  examples: ["session cancel demo/upgrade"],
  async run(invocation) {
    const session = await existingSession(invocation.cluster(), nameArgument("Session", invocation));
    const name = `Session ${keyText(keyOf(session))}`;
    const wanted = cancelOrder(await promptsOf(invocation, session), session);
    if (wanted.length === 0) return { text: `${name} has no unfinished prompts`, ...listedAs(Prompt, []) };
    for (const prompt of wanted) await cancel(invocation, prompt);
    const look = async (): Promise<Prompt[]> => {
      const now = await promptsOf(invocation, session);
      return wanted.flatMap(({ metadata }) => now.find((one) => one.metadata.uid === metadata.uid) ?? []);
    };
    const isEnough = (seen: readonly Prompt[]): boolean => seen.every(isSettled);
    const prompts = await poll(invocation.clock, look, { isEnough, forMs: controllerMs });
    return {
      text: [...prompts.map(shownEnd), `${name} takes further prompts`].join("\n"),
      ...listedAs(Prompt, prompts),
    };
  },
});

async function promptsOf({ cluster }: Pick<Invocation, "cluster">, { metadata }: Session): Promise<Prompt[]> {
  const { items } = await cluster().client.list<Prompt>(Prompt, {
    namespace: metadata.namespace,
    fieldSelector: `spec.sessionRef.name=${metadata.name ?? ""}`,
    limit: pageSize,
    transform: (prompt) => (isSettled(prompt) ? { ...prompt, spec: { ...prompt.spec, text: "" } } : prompt),
  });
  return items;
}

async function cancel({ cluster }: Pick<Invocation, "cluster">, prompt: Prompt): Promise<void> {
  if (prompt.spec.cancel) return;
  // The UID is a precondition, so that another prompt of this name is not cancelled.
  const patch = { metadata: { uid: prompt.metadata.uid }, spec: { cancel: true } };
  await cluster().client.patch<Prompt>(Prompt, keyOf(prompt), patch);
}

function shownEnd(prompt: Prompt): string {
  const { reason, message = "" } = succeededOf(prompt) ?? {};
  const name = `Prompt ${keyText(keyOf(prompt))}`;
  if (!isSettled(prompt)) return `${name} will be cancelled; no controller has seen the request yet`;
  return reason === "Cancelled" ? `${name} was ${message}` : `${name} had ended already as ${reason ?? ""}: ${message}`;
}
