import { conditionTypes } from "../api/v1alpha1/names.ts";
import { reasons } from "../api/v1alpha1/reasons.ts";
import type { Condition } from "../api/v1alpha1/conditions.ts";
import { type Mark, type MarkedAt, withMarks, withoutConditions } from "../domain/conditions.ts";

const type = conditionTypes.foreignNetworkPolicy;
const mostNamed = 5;

/** The conditions with a warning of policies that select a sandbox and are not ours; without names there is none. */
export function withForeignPolicies(
  conditions: readonly Condition[] | undefined,
  names: readonly string[],
  at: MarkedAt,
): Condition[] | undefined {
  if (names.length === 0) return conditions && withoutConditions(conditions, [type]);
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
  const message = `the sandbox is also selected by NetworkPolicy ${names.slice(0, mostNamed).join(", ")}${more}`;
  const warning: Mark = { type, status: "True", reason: reasons.foreignNetworkPolicy, message };
  return withMarks(conditions, [warning], at);
}
