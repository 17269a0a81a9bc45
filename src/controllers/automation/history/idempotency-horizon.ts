import type { AutomationSpec } from "../../../api/v1alpha1/automation.ts";
import type { Run } from "../../../api/v1alpha1/run.ts";
import { createdMs, isKeyed } from "./history.ts";

export interface HorizonFacts {
  /** What the automation's status says; it never goes back. */
  stored: string | undefined;
  /** Runs that are about to be deleted. */
  removed: readonly Run[];
  limits: Pick<AutomationSpec["history"], "idempotencySeconds">;
}

/**
 * How far back idempotency keys are known, as RFC 3339: of every delivery that was accepted later, a repeat is told. Keys
 * are forgotten by age, and the oldest of them where there are too many.
 */
export function idempotencyHorizon({ stored, removed, limits }: HorizonFacts, now: Date): string {
  const byAgeMs = now.getTime() - limits.idempotencySeconds * 1_000;
  const storedMs = Date.parse(stored ?? "") || 0;
  const atMs = removed.filter(isKeyed).reduce((latest, run) => Math.max(latest, createdMs(run)), byAgeMs);
  return new Date(Math.max(atMs, storedMs)).toISOString();
}
