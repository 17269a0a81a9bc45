import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { protocolLimits } from "../../api/runtime/limits.ts";
import { CostMeter } from "./cost-meter.ts";

function aMeter(): { meter: CostMeter; changes: number[]; refusals: boolean[] } {
  const changes: number[] = [];
  const refusals: boolean[] = [];
  const meter = new CostMeter({
    changed: (costUsd) => changes.push(costUsd),
    refused: ({ isFirst }) => refusals.push(isFirst),
  });
  return { meter, changes, refusals };
}

describe("of the reports of one count the highest counts", () => {
  it.each([
    { name: "growing", reports: [0.25, 0.75], want: [0.25, 0.75] },
    { name: "repeated and late", reports: [0.5, 0.5, 0.25, 0.5, 0.6], want: [0.5, 0.5, 0.5, 0.5, 0.6] },
    { name: "nothing", reports: [0], want: [0] },
    { name: "less than a millionth", reports: [0.000_000_4, 0.000_000_6], want: [0, 0.000_001] },
    { name: "parts that floating-point numbers do not have", reports: [0.1, 0.3], want: [0.1, 0.3] },
  ])("$name", ({ reports, want }) => {
    const { meter, changes } = aMeter();
    const count = meter.begin();
    for (const report of reports) count.take(report);
    expect(changes).toEqual(want);
    expect(meter.reading).toEqual({ costUsd: want.at(-1), reports: reports.length });
    expect(count.costUsd).toBe(want.at(-1));
  });
});

it("adds counts up", () => {
  const { meter } = aMeter();
  const [first, second] = [meter.begin(), meter.begin()];
  first.take(0.1);
  second.take(0.2);
  first.take(0.4);
  expect(meter.reading.costUsd).toBe(0.6);
});

describe("a count of which an earlier sandbox metered 2 dollars", () => {
  it.each([
    { name: "goes on", reports: [2.5], want: 0.5 },
    { name: "goes on with nothing more", reports: [2, 2], want: 0 },
    { name: "begins again", reports: [0.5, 2.5], want: 2.5 },
  ])("that $name adds $want", ({ reports, want }) => {
    const { meter } = aMeter();
    const count = meter.begin(2);
    expect(count.costUsd).toBe(2);
    for (const report of reports) count.take(report);
    expect(meter.reading.costUsd).toBe(want);
    expect(count.costUsd).toBe(reports.at(-1));
  });
});

describe("a report that is no credible amount", () => {
  const most = protocolLimits.costUsd;

  it.each([-0.000_001, -1, most + 0.000_001, Number.NaN, Infinity, "0.25", "", null, {}, true])(
    "such as %j is refused",
    (report) => {
      const { meter, changes, refusals } = aMeter();
      const count = meter.begin();
      count.take(report);
      count.take(report);
      expect([changes, refusals]).toEqual([[], [true, false]]);
      expect(meter.reading).toEqual({ costUsd: 0, reports: 0 });
    },
  );

  it.each([most - 0.000_001, most])("unlike %d, which counts", (report) => {
    const { meter, refusals } = aMeter();
    meter.begin().take(report);
    expect([meter.reading.costUsd, refusals]).toEqual([report, []]);
  });
});

it("counts no more than what a report may say", () => {
  const { meter } = aMeter();
  for (const report of [protocolLimits.costUsd, 1]) meter.begin().take(report);
  expect(meter.reading.costUsd).toBe(protocolLimits.costUsd);
});

it("never shrinks, and is the sum of the highest reports", () => {
  const millionths = fc.integer({ min: 0, max: 10_000_000 });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(2), millionths)), (reports) => {
      const { meter, changes } = aMeter();
      const counts = [0, 1, 2].map(() => meter.begin());
      const highest = [0, 0, 0];
      for (const [which, amount] of reports) {
        counts[which]?.take(amount / 1_000_000);
        highest[which] = Math.max(highest[which] ?? 0, amount);
      }
      expect(changes).toEqual(changes.toSorted((left, right) => left - right));
      expect(Math.round(meter.reading.costUsd * 1_000_000)).toBe(highest.reduce((sum, one) => sum + one, 0));
    }),
  );
});
