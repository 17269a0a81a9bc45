import { protocolTimes } from "../../api/runtime/limits.ts";
import { annotations, type AttemptNote } from "../../api/v1alpha1/names.ts";
import type { Lease } from "../../kube/core-resources.ts";

/** Annotations to write on a Lease; null removes one. */
export type Notes = Readonly<Partial<Record<AttemptNote, string | null>>>;

/** One instant by both of this replica's clocks. */
export interface Instant {
  time: Date;
  monotonicMs: number;
}

/** Whether a runtime whose last heartbeat was at `beatMs` (monotonic) counts as silent. */
function isSilent(beatMs: number, { monotonicMs }: Pick<Instant, "monotonicMs">): boolean {
  return monotonicMs - beatMs > protocolTimes.silenceMs;
}

/** What a Lease does not say yet of its runtime's silence, or still says of one that is over. */
export function silenceNotes({ metadata }: Lease, beatMs: number, now: Instant): Notes {
  const isNoted = metadata.annotations?.[annotations.silentSince] !== undefined;
  if (isSilent(beatMs, now) === isNoted) return {};
  if (isNoted) return { [annotations.silentSince]: null };
  const sinceMs = now.time.getTime() - Math.round(now.monotonicMs - beatMs);
  return { [annotations.silentSince]: new Date(sinceMs).toISOString() };
}
