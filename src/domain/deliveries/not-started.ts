import { describeMismatch } from "../filters/describe.ts";
import type { CompiledFilters } from "../filters/compile.ts";
import type { Accepted } from "./receipt.ts";

/** Why an automation takes a body and starts nothing; undefined for one that is to become a Run. */
export function notStarted(
  { pausedBecause, filters }: { pausedBecause: string | undefined; filters: CompiledFilters },
  body: unknown,
): Accepted | undefined {
  if (pausedBecause !== undefined) return { verdict: "paused", message: pausedBecause };
  const mismatch = filters.firstMismatch(body);
  return mismatch && { verdict: "unmatched", message: describeMismatch(mismatch) };
}
