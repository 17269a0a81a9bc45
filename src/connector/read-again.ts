import type { IntegrationEvent } from "../api/v1alpha1/index.ts";
import type { ProviderError } from "./provider-error.ts";

/** For so long an event waits for a provider that does not answer. */
const patienceMs = 3_600_000;
/** Milliseconds between tries to read, by how long the event has waited. */
const readPauses = { shortest: 1_000, longest: 60_000 };

/** Milliseconds after which what an event is about is read again; undefined where it is given up. */
export function readAgainMs(
  { spec }: { spec: Pick<IntegrationEvent["spec"], "receivedTime"> },
  { failure, retryAfterMs = 0 }: Pick<ProviderError, "failure"> & Partial<Pick<ProviderError, "retryAfterMs">>,
  now: Date,
): number | undefined {
  const waitedMs = now.getTime() - Date.parse(spec.receivedTime);
  if (failure === "refused" || waitedMs >= patienceMs) return undefined;
  const pauseMs = Math.min(readPauses.longest, Math.max(readPauses.shortest, waitedMs / 2));
  return Math.max(pauseMs, retryAfterMs);
}
