import { Counter, type Registry } from "prom-client";
import type { SkillSetBound } from "../sandbox/skills/set-budget.ts";

const bounds: readonly SkillSetBound[] = ["namespace", "total"];

/** Counts sets of skills that found no room. */
export interface SkillSetMetrics {
  refused: (bound: SkillSetBound) => void;
}

/** Defines the metric on the registry; it begins at 0 for each budget. */
export function defineSkillSetMetrics(registry: Registry): SkillSetMetrics {
  const refused = new Counter({
    name: "runwright_skill_set_refusals_total",
    help: "Sets of skills that were not stored for a session, by the budget that they would have exceeded: namespace or total",
    labelNames: ["bound"],
    registers: [registry],
  });
  for (const bound of bounds) refused.inc({ bound }, 0);
  return { refused: (bound) => refused.inc({ bound }) };
}
