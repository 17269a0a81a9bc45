import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { EventFacts } from "../../../kube/event-recorder.ts";
import type { KubeObject } from "../../../lib/resource.ts";
import type { AttemptEnd } from "../../sandbox/facts.ts";
import type { DueStart } from "../facts.ts";
import type { Settlement } from "./settlements.ts";

/** An Event about the session. */
export type SessionEvent = Omit<EventFacts, "regarding">;

export function settlementEvent({ prompt, reason, message }: Settlement): SessionEvent {
  const name = `Prompt ${prompt.metadata.name ?? ""}`;
  if (reason === reasons.cancelled) return { type: "Normal", reason, note: `${name} was ${message}` };
  return { type: "Warning", reason, note: `${name} failed: ${message}` };
}

export function endEvent({ reason, message }: AttemptEnd): SessionEvent {
  return { type: reason === reasons.stopped ? "Normal" : "Warning", reason, action: "StopSandbox", note: message };
}

/** Only a start beside pods that do not go away is worth an Event. */
export function startEvent({ givenUp }: DueStart, { metadata }: KubeObject): SessionEvent | undefined {
  if (givenUp.length === 0) return undefined;
  const note = `pod ${givenUp.join(", ")} is still terminating 5 minutes after its sandbox ended: pod ${metadata.name ?? ""} is started beside it`;
  return { type: "Warning", reason: reasons.sandboxLost, action: "StartSandbox", note };
}
