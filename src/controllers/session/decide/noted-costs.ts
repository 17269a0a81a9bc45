import type { ChildSessions } from "../../../api/v1alpha1/session.ts";
import { sumOfAmounts } from "../../../domain/costs/amount.ts";

type Costs = NonNullable<ChildSessions["costs"]>;

/** Entries that a status has room for. */
const mostCosts = 1_000;

/** Stands for all children that are gone, where there are too many to name each. */
const goneUid = "gone";

/**
 * What a status notes of the costs of children: all, at most 1,000. Above that those that are gone have one entry together,
 * which goes on being added to. Of those that exist the admitted come first; one that is left out counts as long as it exists.
 */
export function notedCosts(
  costs: Costs,
  { admitted, existing }: { admitted: readonly string[]; existing: readonly { uid: string }[] },
): Costs {
  if (costs.length <= mostCosts) return costs;
  const here = new Set(existing.map(({ uid }) => uid));
  const gone = costs.filter(({ uid }) => !here.has(uid));
  const together = gone.length === 0 ? [] : [{ uid: goneUid, costUsd: sumOfAmounts(gone.map((one) => one.costUsd)) }];
  const own = new Set(admitted);
  const rank = ({ uid }: Costs[number]): number => (own.has(uid) ? 0 : 1);
  const left = costs.filter(({ uid }) => here.has(uid)).toSorted((one, other) => rank(one) - rank(other));
  return [...together, ...left].slice(0, mostCosts);
}
