import { Registry } from "prom-client";
import { expect, it } from "vitest";

import { defineAutomationMetrics } from "./automation-metrics.ts";

it("paused automations are counted anew at each scrape", async () => {
  const registry = new Registry();
  const paused = new Map([
    ["Suspended", 2],
    ["TooManyFailures", 3],
  ]);
  defineAutomationMetrics(registry, () => paused);
  expect(await registry.metrics()).toContain('runwright_automations_paused{reason="TooManyFailures"} 3');
  paused.set("TooManyFailures", 0);
  const text = await registry.metrics();
  expect(text).toContain('runwright_automations_paused{reason="TooManyFailures"} 0');
  expect(text).toContain('runwright_automations_paused{reason="Suspended"} 2');
});
