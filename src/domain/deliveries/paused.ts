import { reasons, type Automation } from "../../api/v1alpha1/index.ts";
import { pauseReason } from "../pauses/pause-status.ts";

/**
 * Why deliveries start nothing, in a sentence; undefined while they do. A resume counts from the moment that it is asked
 * for: a controller that is away must not make deliveries be dropped.
 */
export function pausedBecause(automation: Automation): string | undefined {
  switch (pauseReason(automation)) {
    case reasons.suspended:
      return "The automation is paused by hand (spec.suspend)";
    case reasons.tooManyFailures:
      return "The automation is paused after consecutive failures; it can be resumed";
    case undefined:
      return undefined;
  }
}
