import { conditionTypes } from "../../api/v1alpha1/names.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { SandboxPool } from "../../api/v1alpha1/sandbox-pool.ts";
import { findCondition } from "../../domain/conditions.ts";

/** A pool is unclaimed when its sandboxes have waited in vain for so many milliseconds: three days, which are more than a weekend. */
export const unclaimedAfterMs = 259_200_000;

/** States of pools, of which the first that fits counts. */
const states = ["off", "stalled", "full", "bounded", "filling"] as const;
type PoolState = (typeof states)[number];

/** The number of pools in each state. */
export function poolCounts(pools: readonly SandboxPool[]): ReadonlyMap<string, number> {
  const found = pools.map(stateOf);
  return new Map(states.map((state) => [state, found.filter((one) => one === state).length]));
}

function stateOf({ spec, status }: SandboxPool): PoolState {
  const ready = findCondition(status?.conditions, conditionTypes.ready);
  if (spec.replicas === 0) return "off";
  if (findCondition(status?.conditions, conditionTypes.stalled)?.status === "True") return "stalled";
  if (ready?.status === "True") return "full";
  return ready?.reason === reasons.poolBounded ? "bounded" : "filling";
}

/** How many sandboxes are to wait in all pools, and how many do. */
export function poolSandboxes(pools: readonly SandboxPool[]): ReadonlyMap<string, number> {
  const sum = (numberOf: (pool: SandboxPool) => number): number => pools.reduce((all, pool) => all + numberOf(pool), 0);
  return new Map([
    ["wanted", sum(({ spec }) => spec.replicas)],
    ["waiting", sum(({ status }) => status?.readyReplicas ?? 0)],
  ]);
}

/** The number of pools with sandboxes that wait, of which no session has taken one for {@link unclaimedAfterMs}. */
export function countUnclaimed(pools: readonly SandboxPool[], now: Date): number {
  const latest = now.getTime() - unclaimedAfterMs;
  return pools.filter(({ metadata, status }) => {
    const since = status?.lastClaimTime ?? metadata.creationTimestamp ?? "";
    return (status?.readyReplicas ?? 0) > 0 && Date.parse(since) <= latest;
  }).length;
}
