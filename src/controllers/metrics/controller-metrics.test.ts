import { Registry } from "prom-client";
import { expect, it } from "vitest";

import { defineControllerMetrics } from "./controller-metrics.ts";

const zero = (): number => 0;
const idle = {
  isLeading: () => false,
  overdueRuns: zero,
  fullestClass: zero,
  fullNamespaces: zero,
  queuedSessions: zero,
  unsavedSessions: zero,
  prebuiltImages: () => new Map<string, number>(),
  staleImages: zero,
  queuedImages: zero,
  sandboxPools: () => new Map<string, number>(),
  poolSandboxes: () => new Map<string, number>(),
  unclaimedPools: zero,
  invalidSkills: zero,
  tooLargeSkillSets: zero,
};

it("says who leads and what is overdue, anew at each scrape", async () => {
  const registry = new Registry();
  let [isLeading, overdue, used, queued, unsaved] = [false, 0, 0, 0, 0];
  defineControllerMetrics(registry, {
    ...idle,
    pausedAutomations: () => new Map(),
    isLeading: () => isLeading,
    overdueRuns: () => overdue,
    fullestClass: () => used,
    fullNamespaces: () => queued + 5,
    queuedSessions: () => queued,
    unsavedSessions: () => unsaved,
  });
  expect(await registry.metrics()).toContain("runwright_controller_leading 0\n");
  [isLeading, overdue, used, queued, unsaved] = [true, 3, 0.75, 2, 4];
  const text = await registry.metrics();
  expect(text).toContain("runwright_controller_leading 1\n");
  expect(text).toContain("runwright_runs_overdue 3\n");
  expect(text).toContain("runwright_sandbox_class_used_ratio 0.75\n");
  expect(text).toContain("runwright_sandbox_namespaces_full 7\n");
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

it("images and skills are counted anew at each scrape", async () => {
  const registry = new Registry();
  const images = new Map([["ready", 1]]);
  let [stale, invalid, tooLarge] = [0, 0, 0];
  defineControllerMetrics(registry, {
    ...idle,
    pausedAutomations: () => new Map(),
    prebuiltImages: () => images,
    staleImages: () => stale,
    invalidSkills: () => invalid,
    tooLargeSkillSets: () => tooLarge,
  });
  expect(await registry.metrics()).toContain("runwright_prebuilt_images_stale 0\n");
  images.set("ready", 5);
  [stale, invalid, tooLarge] = [2, 3, 4];
  const text = await registry.metrics();
  expect(text).toContain('runwright_prebuilt_images{state="ready"} 5\n');
  expect(text).toContain("runwright_prebuilt_images_stale 2\n");
  expect(text).toContain("runwright_skills_invalid 3\n");
  expect(text).toContain("runwright_skill_sets_too_large 4\n");
});

it("pools are counted anew at each scrape", async () => {
  const registry = new Registry();
  const [pools, sandboxes] = [new Map([["full", 1]]), new Map([["waiting", 2]])];
  let unclaimed = 0;
  defineControllerMetrics(registry, {
    ...idle,
    pausedAutomations: () => new Map(),
    sandboxPools: () => pools,
    poolSandboxes: () => sandboxes,
    unclaimedPools: () => unclaimed,
  });
  expect(await registry.metrics()).toContain("runwright_sandbox_pools_unclaimed 0\n");
  pools.set("full", 3);
  sandboxes.set("waiting", 4);
  unclaimed = 5;
  const text = await registry.metrics();
  expect(text).toContain('runwright_sandbox_pools{state="full"} 3\n');
  expect(text).toContain('runwright_pool_sandboxes{state="waiting"} 4\n');
  expect(text).toContain("runwright_sandbox_pools_unclaimed 5\n");
});
