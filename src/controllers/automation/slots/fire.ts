import { Automation, reasons, Run } from "../../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { isAlreadyExists } from "../../../kube/errors.ts";
import type { EventRecorder } from "../../../kube/event-recorder.ts";
import { referenceTo } from "../../../kube/object-reference.ts";
import { keyOf } from "../../../lib/resource.ts";
import type { Firing } from "./plan.ts";
import { isSameFiring } from "./resources.ts";

export interface FireDeps {
  client: Pick<KubeClient, "create" | "find">;
  events: Pick<EventRecorder, "record">;
}

/**
 * Makes the Run of a slot. Resolves with whether it was there already: made by another controller, or by this one when
 * it could not write the automation's status afterwards.
 */
export async function fireSlot(
  { client, events }: FireDeps,
  automation: Automation,
  { run, news }: Firing,
  signal: AbortSignal,
): Promise<"fired" | "repeated"> {
  const regarding = referenceTo(Automation, automation);
  try {
    await client.create(Run, run, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const found = await client.find(Run, keyOf(run), { signal });
    if (!found || isSameFiring(found, run)) return "repeated";
    const note = `Run ${run.metadata.name ?? ""} is not of the slot ${run.spec.trigger.time ?? ""}, which was not fired`;
    events.record({ type: "Warning", reason: reasons.nameTaken, note, regarding });
    return "fired";
  }
  if (news) events.record({ ...news, regarding });
  return "fired";
}
