import type { EventFacts } from "../../kube/event-recorder.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { ActiveStep } from "./effects.ts";
import type { SessionFacts } from "./facts.ts";

type Announcement = Omit<EventFacts, "regarding">;

/** What people are told of a step that was taken; most need no words beside the status. */
export function announcement(step: ActiveStep, { start }: Pick<SessionFacts, "start">): Announcement | undefined {
  if (step.kind === "settlePrompt") {
    const { prompt, reason, message } = step;
    const name = `Prompt ${prompt.metadata.name ?? ""}`;
    if (reason === reasons.cancelled) return { type: "Normal", reason, note: `${name} was ${message}` };
    return { type: "Warning", reason, note: `${name} failed: ${message}` };
  }
  if (step.kind === "deleteSession") {
    const note =
      "Deleted: it carries the label of a Run that does not own it, as a copy does or what its Run left behind";
    return { type: "Warning", reason: reasons.cancelled, note };
  }
  if (step.kind === "start") return start && besideOthers(step.givenUp, start.podName);
  if (step.kind !== "writeStatus" || !step.end) return undefined;
  const { reason, message } = step.end;
  return { type: reason === reasons.stopped ? "Normal" : "Warning", reason, action: "StopSandbox", note: message };
}

function besideOthers(givenUp: readonly string[], podName: string): Announcement | undefined {
  if (givenUp.length === 0) return undefined;
  const note = `pod ${givenUp.join(", ")} is still terminating 5 minutes after its sandbox ended: pod ${podName} is started beside it`;
  return { type: "Warning", reason: reasons.sandboxLost, action: "StartSandbox", note };
}
