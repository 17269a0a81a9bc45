import type { BootPhaseNote } from "../../api/runtime/bundle.ts";
import { annotations } from "../../api/v1alpha1/names.ts";
import type { Lease } from "../../kube/core-resources.ts";
import type { Instant, Notes } from "./silence.ts";

/** A phase that lasts for less is not worth a write of its own, in milliseconds. */
const writtenAfterMs = 5_000;

/** The phase of boot where a Lease does not say it: once it has lasted for 5 s, or with another write. */
export function phaseNotes(
  { metadata }: Lease,
  phase: { note: BootPhaseNote; beganMs: number } | undefined,
  { monotonicMs }: Pick<Instant, "monotonicMs">,
  isWriting: boolean,
): Notes {
  if (!phase || !(isWriting || monotonicMs - phase.beganMs >= writtenAfterMs)) return {};
  const text = JSON.stringify(phase.note);
  return metadata.annotations?.[annotations.bootPhase] === text ? {} : { [annotations.bootPhase]: text };
}
