import type { Session } from "../../../api/v1alpha1/session.ts";
import type { Secret } from "../../../kube/core-resources.ts";
import { type SkillSetBound, type SkillSetBudgets, storedSets } from "./set-budget.ts";
import type { SkillSetLedger } from "./set-use.ts";

/** What the operator sets for sets of skills. */
export interface SkillSetLimits {
  /** Bytes that sets of skills may have in the sessions namespace; by default nothing bounds them. */
  skillSetBudgets?: SkillSetBudgets | undefined;
  /** Counts sets of skills that found no room. */
  skillSetRefused?: ((bound: SkillSetBound) => void) | undefined;
}

interface Caches {
  secrets: { list(): Secret[] };
  sessions: { list(): Session[] };
}

/** The ledger of the sets that the caches show; undefined where nothing bounds them. */
export function skillSetLedger(
  { skillSetBudgets: budgets, skillSetRefused: refused }: SkillSetLimits,
  { secrets, sessions }: Caches,
): SkillSetLedger | undefined {
  if (!budgets) return undefined;
  const stored: SkillSetLedger["stored"] = () => storedSets(secrets.list(), sessions.list());
  return { budgets, stored, ...(refused && { refused }) };
}
