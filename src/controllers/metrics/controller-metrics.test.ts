import { Registry } from "prom-client";
import { expect, it } from "vitest";

import { defineControllerMetrics } from "./controller-metrics.ts";

const zero = (): number => 0;
const idle = {
  isLeading: () => false,
  overdueRuns: zero,
  fullestClass: zero,
  queuedSessions: zero,
  unsavedSessions: zero,
};

it("says who leads and what is overdue, anew at each scrape", async () => {
  const registry = new Registry();
  let [isLeading, overdue, used, queued, unsaved] = [false, 0, 0, 0, 0];
  defineControllerMetrics(registry, {
    pausedAutomations: () => new Map(),
    isLeading: () => isLeading,
    overdueRuns: () => overdue,
    fullestClass: () => used,
    queuedSessions: () => queued,
    unsavedSessions: () => unsaved,
  });
  expect(await registry.metrics()).toContain("runwright_controller_leading 0\n");
  [isLeading, overdue, used, queued, unsaved] = [true, 3, 0.75, 2, 4];
  const text = await registry.metrics();
  expect(text).toContain("runwright_controller_leading 1\n");
  expect(text).toContain("runwright_runs_overdue 3\n");
  expect(text).toContain("runwright_sandbox_class_used_ratio 0.75\n");
  expect(text).toContain("runwright_sessions_queued 2\n");
  expect(text).toContain("runwright_sessions_unsaved 4\n");
});

it("paused automations are counted anew at each scrape", async () => {
  const registry = new Registry();
  const paused = new Map([
    ["Suspended", 2],
    ["TooManyFailures", 3],
  ]);
  defineControllerMetrics(registry, { ...idle, pausedAutomations: () => paused });
  expect(await registry.metrics()).toContain('runwright_automations_paused{reason="TooManyFailures"} 3');
  paused.set("TooManyFailures", 0);
  const text = await registry.metrics();
  expect(text).toContain('runwright_automations_paused{reason="TooManyFailures"} 0');
  expect(text).toContain('runwright_automations_paused{reason="Suspended"} 2');
});
