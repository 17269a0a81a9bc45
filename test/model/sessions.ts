import { annotations, Prompt, Run } from "../../src/api/v1alpha1/index.ts";
import { firstPromptName } from "../../src/domain/prompts/first-prompt-name.ts";
import type { Stage } from "./stage.ts";
import type { End, Step } from "./steps.ts";
import { automationName } from "./world.ts";

const reasonOf: Record<End, string> = {
  completed: "Completed",
  failed: "Failed",
  platformFailed: "HeartbeatLost",
  cancelled: "Cancelled",
};

/** Writes what the gateway writes when an agent has answered or was cancelled, or the session controller when a sandbox was lost. */
export async function endSession(
  { world, model }: Stage,
  { pick, end }: Extract<Step, { do: "endSession" }>,
): Promise<string | undefined> {
  const { openSessions } = model;
  const open = openSessions[pick % openSessions.length];
  if (!open) return undefined;
  const { run, index } = open;
  const name = firstPromptName(`${run.name}-${index}`);
  const { client } = world.commons;
  const reason = reasonOf[end];
  await world.retrying(async () => {
    const prompt = await client.get(Prompt, { namespace: world.namespace, name });
    const status = end === "completed" ? "True" : "False";
    const lastTransitionTime = new Date(world.clock.nowMs).toISOString();
    const succeeded = { type: "Succeeded", status, reason, message: "it ended", lastTransitionTime } as const;
    const observedGeneration = prompt.metadata.generation;
    await client.patchStatus(Prompt, prompt, { ...prompt.status, observedGeneration, conditions: [succeeded] });
  });
  run.sessions[index] = end === "completed" ? "completed" : "failed";
  if (end !== "completed") run.failures.push(reason);
  return run.name;
}

/** What a person creates to start the Automation by hand. */
export async function trigger(
  { world, model }: Stage,
  { whilePaused }: Pick<Extract<Step, { do: "trigger" }>, "whilePaused">,
): Promise<string> {
  const name = `manual-${world.nextNumber()}`;
  const acceptedMs = world.clock.nowMs;
  const given = whilePaused ? { [annotations.whilePaused]: "true" } : {};
  await world.commons.client.create(Run, {
    metadata: { namespace: world.namespace, name, annotations: given },
    spec: {
      automationRef: { name: automationName },
      trigger: { type: "Manual", time: new Date(acceptedMs).toISOString() },
    },
  });
  model.add({ name, automationUid: undefined, isExclusive: true, whilePaused, acceptedMs });
  return name;
}
