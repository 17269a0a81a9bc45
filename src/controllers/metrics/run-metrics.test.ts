import { Registry } from "prom-client";
import { expect, it } from "vitest";

import { defineRunMetrics } from "./run-metrics.ts";

it("ended Runs are counted by reason and by whose failure it was", async () => {
  const registry = new Registry();
  const metrics = defineRunMetrics(registry);
  metrics.runEnded("Completed", undefined);
  metrics.runEnded("Failed", "agent");
  metrics.runEnded("HeartbeatLost", "platform");
  metrics.runEnded("HeartbeatLost", "platform");
  const text = await registry.metrics();
  expect(text).toContain('runwright_runs_ended_total{reason="Completed",failure_of=""} 1');
  expect(text).toContain('runwright_runs_ended_total{reason="Failed",failure_of="agent"} 1');
  expect(text).toContain('runwright_runs_ended_total{reason="HeartbeatLost",failure_of="platform"} 2');
});

it("automations that are paused by failures are counted, from 0 on", async () => {
  const registry = new Registry();
  const metrics = defineRunMetrics(registry);
  expect(await registry.metrics()).toContain("runwright_automations_paused_total 0");
  metrics.pausedByFailures();
  expect(await registry.metrics()).toContain("runwright_automations_paused_total 1");
});
