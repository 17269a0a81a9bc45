import { reasons, type Automation } from "../../api/v1alpha1/index.ts";
import { pauseReason } from "../pauses/pause-status.ts";

/**
 * Why deliveries start no Runs, in a sentence; undefined while they do. A resume counts once it is requested, so that
 * no delivery is dropped while the controller is down.
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
