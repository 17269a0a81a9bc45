import type { AutomationSpec } from "../../../api/v1alpha1/automation.ts";
import type { Run } from "../../../api/v1alpha1/run.ts";
import { createdMs, isKeyed } from "./history.ts";

export interface HorizonFacts {
  /** The horizon in the automation's status; a later one never lies before it. */
  stored: string | undefined;
  /** Runs that are about to be deleted. */
  removed: readonly Run[];
  limits: Pick<AutomationSpec["history"], "idempotencySeconds">;
}

/**
 * Since when every idempotency key is remembered (RFC 3339): a repeat of any delivery accepted later is recognized. Keys
 * are forgotten by age, and the oldest ones where there are too many.
 */
export function idempotencyHorizon({ stored, removed, limits }: HorizonFacts, now: Date): string {
  const byAgeMs = now.getTime() - limits.idempotencySeconds * 1_000;
  const storedMs = Date.parse(stored ?? "") || 0;
  const atMs = removed.filter(isKeyed).reduce((latest, run) => Math.max(latest, createdMs(run)), byAgeMs);
  return new Date(Math.max(atMs, storedMs)).toISOString();
}
