import { Counter, type Registry } from "prom-client";

/**
 * What a start got of the pools that serve its session: a sandbox that waited; none, as none waited; or one that did not
 * connect in time, so that this start has a sandbox of its own.
 */
export type PoolAnswer = "taken" | "empty" | "unanswered";

/** Counts starts of sessions that a pool serves. */
export interface PoolMetrics {
  started(answer: PoolAnswer): void;
}

/** Defines the metrics on the registry. */
export function definePoolMetrics(registry: Registry): PoolMetrics {
  const starts = new Counter({
    name: "runwright_pool_starts_total",
    help: "Starts of sandboxes for sessions that a SandboxPool serves, by result: taken, empty (none waited) or unanswered (anew, as the one that was taken did not connect)",
    labelNames: ["result"],
    registers: [registry],
  });
  for (const result of ["taken", "empty", "unanswered"] satisfies PoolAnswer[]) starts.inc({ result }, 0);
  return { started: (result) => starts.inc({ result }) };
}
