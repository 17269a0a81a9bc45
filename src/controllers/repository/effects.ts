import type { KubeClient } from "../../kube/client.ts";
import type { EventFacts, EventRecorder } from "../../kube/event-recorder.ts";
import { referenceTo } from "../../kube/object-reference.ts";
import type { Resource } from "../../lib/resource.ts";
import type { Referable } from "./facts.ts";

/** The only effect: a status write, and the Events that are recorded once it succeeded. */
export interface WriteStatus<T extends Referable> {
  object: T;
  status: NonNullable<T["status"]>;
  events: readonly Omit<EventFacts, "regarding">[];
}

/** Writes the status where it differs from the stored one. */
export async function performEffect<T extends Referable>(
  deps: { client: Pick<KubeClient, "patchStatus">; events: Pick<EventRecorder, "record"> },
  resource: Resource<T>,
  { object, status, events }: WriteStatus<T>,
  signal: AbortSignal,
): Promise<void> {
  const stored = await deps.client.patchStatus(resource, object, status, { signal });
  for (const event of events) deps.events.record({ ...event, regarding: referenceTo(resource, stored) });
}
