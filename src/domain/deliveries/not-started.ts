import { describeMismatch } from "../filters/describe.ts";
import type { CompiledFilters } from "../filters/compile.ts";
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
