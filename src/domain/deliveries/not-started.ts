import { type Automation, reasons } from "../../api/v1alpha1/index.ts";
import type { CompiledFilters } from "../filters/compile.ts";
import { describeMismatch } from "../filters/describe.ts";
import { pauseReason } from "../pauses/pause-status.ts";
import type { Accepted } from "./receipt.ts";

/** The outcome of a delivery that is accepted and starts no Run; undefined for one that starts one. */
export function notStarted(
  { pausedBecause, filters }: { pausedBecause: string | undefined; filters: CompiledFilters },
  body: unknown,
): Accepted | undefined {
  if (pausedBecause !== undefined) return { verdict: "paused", message: pausedBecause };
  const mismatch = filters.firstMismatch(body);
  return mismatch && { verdict: "unmatched", message: describeMismatch(mismatch) };
}

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
