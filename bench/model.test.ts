import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { bounds, measuredCosts, usualDemand } from "./model-costs.ts";
import { boundTable, firstRow, predictionTable } from "./model-table.ts";
import { type Bound, type Costs, errorOf, firstBound, predict } from "./model.ts";

const costs: Costs = {
  run: { writes: 16, events: 4, controllerCpuMs: 30, apiServerCpuMs: 60, ingressCpuMs: 1 },
  live: { controllerBytes: 10, gatewayBytes: 100, etcdBytes: 1_000 },
  beat: { everySeconds: 30, gatewayCpuMs: 3 },
  event: { gatewayCpuMs: 0.2, blobBytes: 10 },
  history: { etcdBytes: 5_000 },
  archive: { rowsEachRun: 6, cpuMsEachRow: 0.5, bytesEachRun: 700 },
  idle: { controllerBytes: 50 },
};

it("adds up what Runs of ten minutes in 6,000 sandboxes cost", () => {
  expect(predict(costs, { sandboxes: 6_000, runMinutes: 10, eventsPerMinute: 3, automations: 7 })).toEqual({
    runsPerSecond: 10,
    writesPerSecond: 200,
    controllerCpus: 0.3,
    apiServerCpus: 0.6,
    ingressCpus: 0.01,
    // 200 beats, 300 events and 60 rows a second.
    gatewayCpus: 0.6 + 0.06 + 0.03,
    controllerBytes: 50 + 60_000,
    gatewayBytes: 600_000,
    etcdBytes: 6_000_000 + 35_000,
    archiveBytesEachDay: 86_400 * 10 * 700,
    blobBytesEachDay: 86_400 * 300 * 10,
  });
});

it("says that nothing but idle processes and history is there without sandboxes", () => {
  const nothing = predict(costs, { sandboxes: 0, runMinutes: 10, eventsPerMinute: 3, automations: 1 });
  expect(nothing).toMatchObject({ runsPerSecond: 0, controllerBytes: 50, gatewayBytes: 0, etcdBytes: 5_000 });
});

it("names the bound that is fullest, whatever the unit", () => {
  const bound = (name: string, most: number): Bound => ({
    name,
    most,
    of: (_prediction, demand) => demand.sandboxes,
    knob: "",
  });
  const demand = { sandboxes: 10, runMinutes: 1, eventsPerMinute: 0, automations: 0 };
  const found = firstBound(
    [bound("wide", 100), bound("narrow", 5), bound("usual", 10)],
    predict(costs, demand),
    demand,
  );
  expect(found).toMatchObject({ bound: { name: "narrow" }, share: 2 });
  expect(() => firstBound([], predict(costs, demand), demand)).toThrow("without bounds");
});

it.each([
  [120, 100, 0.2],
  [80, 100, -0.2],
  [100, 100, 0],
])("a prediction of %d beside %d measured is off by %d", (predicted, measured, error) => {
  expect(errorOf(predicted, measured)).toBeCloseTo(error);
});

it("shows its figures with two digits and in units that people read", () => {
  const table = predictionTable(costs, [
    { sandboxes: 1_234, runMinutes: 1, eventsPerMinute: 0, automations: 1_000_000 },
  ]);
  expect(table).toContain("| Runs a second | 21 |");
  expect(table).toContain("| CPUs of the controller | 0.62 |");
  expect(table).toContain("| etcd | 4.7 GiB |");
});

it("says on the page about scale what follows from the measured costs", async () => {
  const page = await readFile(join(import.meta.dirname, "..", "docs", "operate", "scale.md"), "utf8");
  const demands = [1_000, 10_000, 100_000].map(usualDemand);
  const rows = [
    ...predictionTable(measuredCosts, demands),
    ...boundTable(bounds, measuredCosts, demands),
    firstRow(bounds, measuredCosts, demands),
  ];
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});
