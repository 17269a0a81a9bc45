import type { OperatorSettings } from "../../domain/settings/execution-timeout.ts";
import { decideAfter } from "./decide/after.ts";
import { decideFollow } from "./decide/follow.ts";
import { decideStart } from "./decide/start.ts";
import type { RunDecision } from "./effects.ts";
import type { RunFacts } from "./facts.ts";

/**
 * Decides what to do for one Run now:
 *
 * ```
 *   (no status) ──start──▶ started ──follow──▶ settled ──after──▶ deleted, or kept as history
 *        └──────skip──────────────────────────▶ settled
 * ```
 */
export function decideRun(facts: RunFacts, now: Date, operator: OperatorSettings): RunDecision {
  switch (facts.phase) {
    case "start":
      return decideStart(facts, now, operator);
    case "follow":
      return decideFollow(facts, now);
    case "after":
      return decideAfter(facts, now);
  }
}
