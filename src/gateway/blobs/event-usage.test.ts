import { describe, expect, it } from "vitest";
import { type EventBudgets, EventUsage } from "./event-usage.ts";

const store = 5_000;

/** With these bytes found, on a store of 5,000 bytes: events may have 1,000 of it. */
function measured(found: Record<string, number>, budgets: EventBudgets = {}): EventUsage {
  const usage = new EventUsage(budgets);
  usage.begin(store)(new Map(Object.entries(found)));
  return usage;
}

describe("a namespace", () => {
  it.each([
    [499, undefined],
    [500, "namespace"],
    [501, "namespace"],
  ])("may have as much of a fifth of the store as it leaves free: with %d of 1,000 bytes it is %s", (used, bound) => {
    const usage = measured({ shop: used });
    expect(usage.fullFor("shop", false)).toBe(bound);
    expect(usage.fullFor("other", false)).toBeUndefined();
  });

  it.each([
    [199, undefined],
    [200, "namespace"],
    [201, "namespace"],
  ])("has what its budget says, where one is set: with %d of 200 bytes it is %s", (used, bound) => {
    expect(measured({ shop: used }, { namespace: 200 }).fullFor("shop", false)).toBe(bound);
  });

  it.each([
    [212, undefined],
    [213, "namespace"],
  ])("has a sixteenth more for results: with %d of 200 bytes it is %s", (used, bound) => {
    expect(measured({ shop: used }, { namespace: 200 }).fullFor("shop", true)).toBe(bound);
  });
});

describe("all", () => {
  it.each([
    [999, undefined],
    [1_000, "total"],
    [1_001, "total"],
  ])("have a fifth of the store: with %d of 1,000 bytes a namespace with a budget is %s", (used, bound) => {
    expect(measured({ other: used }, { namespace: 5_000 }).fullFor("shop", false)).toBe(bound);
  });

  it("have what the budget says, where one is set", () => {
    expect(measured({ other: 2_000 }, { total: 3_000 }).fullFor("shop", false)).toBeUndefined();
    expect(measured({ other: 3_000 }, { total: 3_000 }).fullFor("shop", false)).toBe("total");
  });

  it("have no bound in a store without a size", () => {
    const usage = new EventUsage({});
    usage.begin(Infinity)(new Map([["shop", 1e15]]));
    expect(usage.fullFor("shop", false)).toBeUndefined();
    expect(usage.total.bound).toBe(Infinity);
  });
});

it("there is room until the store was measured, and what is added meanwhile counts", () => {
  const usage = new EventUsage({ total: 10 });
  usage.add("shop", 100);
  expect(usage.fullFor("shop", false)).toBeUndefined();
  const found = usage.begin(store);
  usage.add("shop", 7);
  found(new Map([["shop", 1]]));
  expect(usage.total).toEqual({ used: 8, bound: 10 });
  usage.add("shop", 2);
  expect(usage.fullFor("shop", false)).toBe("total");
  usage.begin(store)(new Map());
  expect(usage.fullFor("shop", false)).toBeUndefined();
});

it("says which budget it is, how much of it is used, and how to get more", () => {
  const usage = measured({ shop: 200, other: 100 }, { namespace: 200, total: 300 });
  expect(usage.because("namespace", "shop")).toBe(
    "events of sessions of namespace shop have used 200 bytes of 200 bytes: delete Sessions that are no longer needed, or ask the platform team for more (gateway.blobStore.budgets.events.namespace)",
  );
  expect(usage.because("total", "shop")).toContain("have used 300 bytes of 300 bytes");
});
