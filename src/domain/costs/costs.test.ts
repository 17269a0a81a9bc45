import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { aSession } from "../../../test/support/builders.ts";
import type { Session } from "../../api/v1alpha1/session.ts";
import { sumOfAmounts } from "./amount.ts";
import { reachedCostLimit } from "./limit.ts";

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
  expect(reachedCostLimit(session)).toEqual(want);
});
