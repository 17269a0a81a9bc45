import { z } from "zod";

import { type Automation, ErrorTracker } from "../../api/v1alpha1/index.ts";
import { longestEventBytes, wantedEvent } from "../../domain/deliveries/error-event.ts";
import { pausedBecause } from "../../domain/deliveries/not-started.ts";
import { keyedRunName } from "../../domain/object-names.ts";
import { CliError } from "../cli-error.ts";
import { type Explanation, readPayload } from "./explanation.ts";

/** Which events an Automation of type ErrorTracker wants. @throws CliError where its settings cannot be read */
export function wantedEvents({ metadata, spec }: Automation): ErrorTracker {
  const { data, error } = ErrorTracker.safeParse(spec.trigger.errorTracker);
  if (data) return data;
  throw new CliError(
    `Automation ${metadata.name ?? ""}: spec.trigger.errorTracker cannot be read:\n${z.prettifyError(error)}`,
  );
}

/** Decides on the body of a signed delivery as the ingress does. @throws CliError */
export function explainEvent(automation: Automation, body: Uint8Array): Explanation {
  const wanted = wantedEvents(automation);
  const payload = readPayload(body, longestEventBytes);
  if (!("value" in payload)) return payload;
  const event = wantedEvent(payload.value, wanted);
  const paused = pausedBecause(automation);
  if (typeof event === "string") return { decision: paused ? "Paused" : "Filtered", message: paused ?? event };
  const { name = "", uid } = automation.metadata;
  return {
    decision: paused ? "Paused" : "Started",
    message: paused ?? `The event is ${event.type}; a Run would start`,
    idempotencyKey: event.triggerKey,
    ...(uid !== undefined && { runName: keyedRunName({ name, uid }, event.triggerKey) }),
  };
}
