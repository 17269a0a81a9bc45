import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aSession } from "../../../test/support/builders.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import { amountText, excessOf, greaterAmount, sumOfAmounts } from "./amount.ts";
import { childCosts, costOfFamily } from "./family.ts";
import { costLimitOf, reachedLimit, reachedMessage } from "./limit.ts";

describe("adds up amounts", () => {
  it.each([
    [[], "0"],
    [["0.1", "0.2"], "0.3"],
    [["4.90", "0.10"], "5"],
    [["0.000001", "999999999.999999"], "1000000000"],
    [["007", "0.50"], "7.5"],
  ])("%j to %s", (amounts, want) => {
    expect(sumOfAmounts(amounts)).toBe(want);
  });

  it("exactly, in any order", () => {
    const amount = fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.integer({ min: 0, max: 999_999 }))
      .map(([whole, fraction]) => `${String(whole)}.${String(fraction).padStart(6, "0")}`);
    fc.assert(
      fc.property(fc.array(amount, { maxLength: 8 }), (amounts) => {
        const want = amounts.reduce((sum, text) => sum + BigInt(text.replace(".", "")), 0n);
        const [whole = "", fraction = ""] = sumOfAmounts(amounts.toReversed()).split(".");
        expect(BigInt(whole + fraction.padEnd(6, "0"))).toBe(want);
      }),
    );
  });
});

it.each([
  ["1", "0.999999", "1", "0.000001"],
  ["0.5", "0.50", "0.5", "0"],
  ["9", "10", "10", "0"],
])("compares %s with %s", (left, right, greater, excess) => {
  expect([greaterAmount(left, right), excessOf(left, right)]).toEqual([greater, excess]);
});

it.each([
  [0, "0"],
  [0.1 + 0.2, "0.3"],
  [100, "100"],
  [0.000_000_4, "0"],
  [1e-6, "0.000001"],
  [1_000_000, "1000000"],
])("writes %d as %s", (amount, want) => {
  expect(amountText(amount)).toBe(want);
});

function spending(costUsd: string | undefined, own: string | undefined, inherited = ""): Session {
  const settings = {
    finalSnapshotBufferMs: 600_000,
    tunnelPorts: [],
    maxConcurrentChildSessions: 5,
    maxTotalChildSessions: 15,
    buildTimeoutSeconds: 1_800,
    maxSessionCostUsd: inherited,
  };
  return aSession({
    spec: own === undefined ? {} : { settings: { maxSessionCostUsd: own } },
    status: { settings, ...(costUsd === undefined ? {} : { costUsd }) },
  });
}

it.each([
  ["nothing under a limit", spending(undefined, "0.000001"), undefined],
  ["below its own limit", spending("4.999999", "5.00"), undefined],
  ["at its own limit", spending("5", "5.00"), { costUsd: "5", limitUsd: "5.00" }],
  ["above its own limit", spending("7.9", "5.00"), { costUsd: "7.9", limitUsd: "5.00" }],
  ["without a limit", spending("1000000", undefined), undefined],
  ["at the inherited limit", spending("5", undefined, "5"), { costUsd: "5", limitUsd: "5" }],
  ["at the inherited limit that it raises", spending("5", "6", "5"), undefined],
  ["at the inherited limit that it lifts", spending("5", "", "5"), undefined],
  ["at its own limit below the inherited one", spending("5", "5", "6"), { costUsd: "5", limitUsd: "5" }],
])("a session that has cost %s", (_, session, want) => {
  expect(reachedLimit(session.status?.costUsd ?? "0", costLimitOf(session))).toEqual(want);
});

it.each([
  [undefined, "the session has cost 5 USD and its maxSessionCostUsd is 4"],
  [{}, "the session and its family have cost 5 USD and its maxSessionCostUsd is 4"],
  [
    { root: aSession({ metadata: { name: "top" } }) },
    "the session and its family have cost 5 USD and the maxSessionCostUsd of its root session top is 4",
  ],
])("says both figures of the family %j", (family, want) => {
  expect(reachedMessage({ costUsd: "5", limitUsd: "4" }, family)).toBe(want);
});

describe("a family", () => {
  interface Tree {
    uid: string;
    costUsd?: string;
    costs?: Record<string, string>;
    below?: Tree[];
  }
  const below = new Map<string, Session[]>();
  const view = { childrenOf: ({ metadata }: Session) => below.get(metadata.uid ?? "") ?? [] };

  function grow({ uid, costUsd, costs, below: children = [] }: Tree): Session {
    below.set(uid, children.map(grow));
    const known = Object.entries(costs ?? {}).map(([child, amount]) => ({ uid: child, costUsd: amount }));
    const status = { costUsd, children: { admitted: [], active: 0, costs: known } };
    return aSession({ metadata: { uid }, status });
  }

  it.each<[string, Tree, string]>([
    ["that has cost nothing", { uid: "r", below: [{ uid: "c" }] }, "0"],
    ["of one", { uid: "r", costUsd: "1" }, "1"],
    [
      "of three levels",
      { uid: "r", costUsd: "1", below: [{ uid: "c", costUsd: "2", below: [{ uid: "g", costUsd: "4" }] }] },
      "7",
    ],
    ["with a child that was deleted", { uid: "r", costUsd: "1", costs: { gone: "2" } }, "3"],
    [
      "with a grandchild that was deleted",
      { uid: "r", below: [{ uid: "c", costUsd: "2", costs: { gone: "0.5" } }] },
      "2.5",
    ],
    ["that has cost more than was noted", { uid: "r", costs: { c: "2" }, below: [{ uid: "c", costUsd: "3" }] }, "3"],
    ["of which less is seen than was noted", { uid: "r", costs: { c: "2" }, below: [{ uid: "c", costUsd: "1" }] }, "2"],
  ])("%s", (_name, tree, want) => {
    expect(costOfFamily(grow(tree), view)).toBe(want);
  });

  it("counts what statuses do not count yet", () => {
    const root = grow({ uid: "r", costUsd: "1", below: [{ uid: "c", costUsd: "2" }] });
    const uncounted = ({ metadata }: Session): string => (metadata.uid === "c" ? "0.5" : "0");
    expect(costOfFamily(root, { ...view, uncounted })).toBe("3.5");
  });

  it("ends where owners name each other", () => {
    const root = grow({ uid: "r", costUsd: "1" });
    below.set("r", [root]);
    expect(costOfFamily(root, view)).toBe("3");
  });

  it("notes of each child what it and those below it have cost", () => {
    const child = { uid: "c", costUsd: "1", below: [{ uid: "g", costUsd: "2" }] };
    const root = grow({ uid: "r", costs: { gone: "4" }, below: [child, { uid: "free" }] });
    expect(childCosts(root, view)).toEqual([
      { uid: "gone", costUsd: "4" },
      { uid: "c", costUsd: "3" },
    ]);
  });
});
