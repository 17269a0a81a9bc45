import { conditionTypes, type Automation } from "../../api/v1alpha1/index.ts";

/** Why an Automation accepts deliveries and starts nothing, in a sentence; undefined while it does start. */
export function pausedBecause({ spec, status }: Automation): string | undefined {
  if (spec.suspend) return "The automation is paused by hand (spec.suspend)";
  const isPaused = status?.conditions?.some(({ type, status }) => type === conditionTypes.paused && status === "True");
  return isPaused ? "The automation is paused after consecutive failures; it can be resumed" : undefined;
}
