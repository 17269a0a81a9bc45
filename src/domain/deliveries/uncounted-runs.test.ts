import { describe, expect, it } from "vitest";
import { UncountedRuns } from "./uncounted-runs.ts";

describe("uncounted runs", () => {
  const before = { version: "1", lastRunName: undefined, readMs: 0 };

  it("count until the controller's count names one of them or a later one", () => {
    const runs = new UncountedRuns();
    for (const name of ["r1", "r2", "r3"]) runs.add(name, before, 10);
    expect(runs.count({ ...before, readMs: 500 })).toBe(3);
    expect(runs.count({ version: "2", lastRunName: "r2", readMs: 1_000 })).toBe(1);
    expect(runs.count({ version: "3", lastRunName: "r3", readMs: 1_500 })).toBe(0);
  });

  it("are taken for counted when the automation was written since, two seconds later", () => {
    const runs = new UncountedRuns();
    runs.add("r1", before, 1_000);
    expect(runs.count({ version: "2", lastRunName: "elsewhere", readMs: 2_999 })).toBe(1);
    expect(runs.count({ version: "2", lastRunName: "elsewhere", readMs: 3_000 })).toBe(0);
  });

  it("stay while the controller is away, for ten minutes", () => {
    const runs = new UncountedRuns();
    runs.add("r1", before, 0);
    expect(runs.count({ ...before, readMs: 599_999 })).toBe(1);
    expect(runs.count({ ...before, readMs: 600_000 })).toBe(0);
  });

  it("are looked through once for each read, however many deliveries it serves", () => {
    const runs = new UncountedRuns();
    const seen = { version: "2", lastRunName: "r1", readMs: 500 };
    runs.add("r1", before, 10);
    expect(runs.count(seen)).toBe(0);
    runs.add("r2", seen, 600);
    expect(runs.count(seen)).toBe(1);
  });
});
