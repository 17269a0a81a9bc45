import { Registry } from "prom-client";
import { expect, it } from "vitest";
import type { SandboxPool } from "../../api/v1alpha1/sandbox-pool.ts";
import { countUnclaimed, poolCounts, poolSandboxes, unclaimedAfterMs } from "./pool-counts.ts";
import { definePoolMetrics } from "./pool-metrics.ts";

const now = new Date("2026-05-04T12:00:00.000Z");
const ago = (ms: number): string => new Date(now.getTime() - ms).toISOString();

function condition(type: string, status: "True" | "False", reason: string) {
  return { type, status, reason, message: "", lastTransitionTime: ago(0) };
}

function aPool(status: SandboxPool["status"], { replicas = 2, ageMs = 0 } = {}): SandboxPool {
  return {
    metadata: { name: "warm", creationTimestamp: ago(ageMs) },
    spec: { sandboxClassName: "c", serviceAccountName: "runner", replicas },
    status,
  };
}

const full = condition("Ready", "True", "PoolFull");
const notReady = (reason: string) => condition("Ready", "False", reason);
const stalled = condition("Stalled", "True", "PodRejected");

it.each([
  { want: "off", pool: aPool({ conditions: [full] }, { replicas: 0 }) },
  { want: "stalled", pool: aPool({ conditions: [notReady("PodRejected"), stalled] }) },
  { want: "stalled", pool: aPool({ conditions: [notReady("PoolBounded"), stalled] }) },
  { want: "full", pool: aPool({ conditions: [full] }) },
  { want: "bounded", pool: aPool({ conditions: [notReady("PoolBounded")] }) },
  { want: "filling", pool: aPool({ conditions: [notReady("PoolFilling")] }) },
  { want: "filling", pool: aPool({ conditions: [notReady("Unschedulable")] }) },
  { want: "filling", pool: aPool(undefined) },
])("a pool counts as $want", ({ want, pool }) => {
  const counts = poolCounts([pool]);
  expect([...counts].filter(([, count]) => count > 0)).toEqual([[want, 1]]);
  expect(counts.size).toBe(5);
});

it("adds up what waits and what is to wait", () => {
  const pools = [aPool({ readyReplicas: 1 }), aPool({ readyReplicas: 3 }, { replicas: 3 }), aPool(undefined)];
  expect(Object.fromEntries(poolSandboxes(pools))).toEqual({ wanted: 7, waiting: 4 });
  expect(Object.fromEntries(poolSandboxes([]))).toEqual({ wanted: 0, waiting: 0 });
});

const offsets = [
  { offsetMs: -1, want: 0 },
  { offsetMs: 0, want: 1 },
  { offsetMs: 1, want: 1 },
];

it.each(offsets)("a pool is unclaimed three days after its creation ($offsetMs ms)", ({ offsetMs, want }) => {
  expect(countUnclaimed([aPool({ readyReplicas: 1 }, { ageMs: unclaimedAfterMs + offsetMs })], now)).toBe(want);
});

it.each(offsets)("a pool is unclaimed three days after its last claim ($offsetMs ms)", ({ offsetMs, want }) => {
  const status = { readyReplicas: 1, lastClaimTime: ago(unclaimedAfterMs + offsetMs) };
  expect(countUnclaimed([aPool(status, { ageMs: 10 * unclaimedAfterMs })], now)).toBe(want);
});

it.each([{ readyReplicas: 0 }, {}, undefined])("a pool in which none waits (%o) is not unclaimed", (status) => {
  expect(countUnclaimed([aPool(status, { ageMs: 10 * unclaimedAfterMs })], now)).toBe(0);
});

it("starts are counted by what they got of a pool, each from 0 on", async () => {
  const registry = new Registry();
  const metrics = definePoolMetrics(registry);
  metrics.started("taken");
  metrics.started("empty");
  metrics.started("empty");
  const text = await registry.metrics();
  expect(text).toContain('runwright_pool_starts_total{result="taken"} 1\n');
  expect(text).toContain('runwright_pool_starts_total{result="empty"} 2\n');
  expect(text).toContain('runwright_pool_starts_total{result="unanswered"} 0\n');
});
