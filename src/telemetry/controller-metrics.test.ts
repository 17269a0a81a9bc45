import { Registry } from "prom-client";
import { expect, it } from "vitest";

import { defineControllerMetrics } from "./controller-metrics.ts";

it("says who leads and what is overdue, anew at each scrape", async () => {
  const registry = new Registry();
  let [isLeading, overdue] = [false, 0];
  defineControllerMetrics(registry, { isLeading: () => isLeading, overdueRuns: () => overdue });
  expect(await registry.metrics()).toContain("runwright_controller_leading 0\n");
  [isLeading, overdue] = [true, 3];
  const text = await registry.metrics();
  expect(text).toContain("runwright_controller_leading 1\n");
  expect(text).toContain("runwright_runs_overdue 3\n");
});
