import { expect, it } from "vitest";

import { readFigures, reconcilesOf } from "./controller-figures.ts";

const usual = [
  "process_cpu_seconds_total 1.5",
  "process_resident_memory_bytes 1.2e+08",
  "nodejs_heap_size_used_bytes 42",
];

it("adds up reconciles and writes, whatever their outcome", () => {
  const text = [
    "# TYPE runwright_controller_reconcile_duration_seconds histogram",
    'runwright_controller_reconcile_duration_seconds_sum{controller="run",outcome="success"} 9',
    'runwright_controller_reconcile_duration_seconds_count{controller="run",outcome="success"} 3',
    'runwright_controller_reconcile_duration_seconds_count{outcome="conflict",controller="run"} 1',
    'runwright_controller_reconcile_duration_seconds_count{controller="session",outcome="success"} 5',
    'runwright_controller_api_writes_total{controller="run",verb="create",resource="sessions",status="201"} 2',
    'runwright_controller_api_writes_total{controller="run",verb="patch",resource="runs",status="409"} 1',
    ...usual,
  ].join("\n");
  const figures = readFigures(text);
  expect(figures).toEqual({
    reconciles: { run: 4, session: 5 },
    writes: 3,
    cpuMs: 1_500,
    residentBytes: 120_000_000,
    heapBytes: 42,
  });
  expect(reconcilesOf(figures)).toBe(9);
});

it("says which figure is missing", () => {
  expect(() => readFigures(usual.slice(1).join("\n"))).toThrow("the controller does not say its process_cpu");
});
