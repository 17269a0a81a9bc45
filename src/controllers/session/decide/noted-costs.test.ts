import { describe, expect, it } from "vitest";
import { aSession } from "../../../../test/support/builders.ts";
import { ChildSessions, type Session } from "../../../api/v1alpha1/session.ts";
import { sumOfAmounts } from "../../../domain/costs/amount.ts";
import { childCosts, costOfFamily } from "../../../domain/costs/family.ts";
import { notedCosts } from "./noted-costs.ts";

type Costs = NonNullable<ChildSessions["costs"]>;

function uids(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) => `${prefix}${at}`);
}

function costsOf(of: readonly string[]): Costs {
  return of.map((uid) => ({ uid, costUsd: "1" }));
}

/** Notes again and again, as the controller does, while these children exist; gives what was noted last and the family's cost. */
function note(known: Costs, existing: readonly string[], admitted: readonly string[] = []) {
  const children = existing.map((uid) => aSession({ metadata: { uid }, status: { costUsd: "1" } }));
  const view = { childrenOf: ({ metadata }: Session) => (metadata.uid === "root" ? children : []) };
  const parent = (costs: Costs): Session =>
    aSession({ metadata: { uid: "root" }, status: { children: { admitted: [...admitted], active: 0, costs } } });
  const once = (costs: Costs): Costs =>
    notedCosts(childCosts(parent(costs), view), { admitted, existing: existing.map((uid) => ({ uid })) });
  const noted = once(known);
  expect(once(noted)).toEqual(noted);
  expect(ChildSessions.safeParse({ admitted: [], active: 0, costs: noted }).success).toBe(true);
  return { noted, costUsd: costOfFamily(parent(noted), view) };
}

describe("what a status notes of children's costs", () => {
  it.each([999, 1_000])("are all of %d, as they are", (count) => {
    const costs = costsOf(uids("c", count));
    expect(notedCosts(costs, { admitted: [], existing: [] })).toBe(costs);
  });

  it("are 1,000 of 1,001 that exist, which count all", () => {
    const { noted, costUsd } = note([], uids("c", 1_001));
    expect(noted).toEqual(costsOf(uids("c", 1_000)));
    expect(costUsd).toBe("1001");
  });

  it("are first those of admitted children", () => {
    const others = uids("other", 1_000);
    const own = uids("own", 15);
    const { noted, costUsd } = note(costsOf(others), [...others, ...own], own);
    expect(noted).toEqual(costsOf([...own, ...others.slice(0, 985)]));
    expect(costUsd).toBe("1015");
  });

  it("have one entry for those that are gone where there are more than 1,000, and lose nothing", () => {
    const { noted, costUsd } = note(costsOf(uids("c", 1_000)), ["c0", "new"]);
    expect(noted).toEqual([{ uid: "gone", costUsd: "999" }, ...costsOf(["c0", "new"])]);
    expect(costUsd).toBe("1001");
    const later = note([...noted.filter(({ uid }) => uid === "gone"), ...costsOf(uids("d", 999))], ["last"]);
    expect(later.noted).toEqual([{ uid: "gone", costUsd: "1998" }, ...costsOf(["last"])]);
    expect(sumOfAmounts(later.noted.map((one) => one.costUsd))).toBe("1999");
  });
});
