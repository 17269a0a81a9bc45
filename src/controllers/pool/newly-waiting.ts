import type { Clock } from "../../lib/clock.ts";
import type { PoolFacts } from "./facts.ts";

/** The status shows no later than this that more sandboxes wait, in milliseconds. */
const gatheredMs = 1_000;

/**
 * Says when the status shows that more sandboxes wait: at once when all that are wanted do, else so that those that begin
 * to wait within a second are one write. Sessions take them before: they choose by the gateways' Leases.
 */
export class NewlyWaiting {
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** By the pool's key: when more were seen to wait than its status shows. */
  readonly #sinceMs = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Milliseconds until it is shown; 0: now, or there is nothing more to show. */
  dueInMs(key: string, { pool, members, room }: Pick<PoolFacts, "pool" | "members" | "room">): number {
    const waiting = members.filter(({ isWaiting }) => isWaiting).length;
    const wanted = Math.min(pool.spec.replicas, room.places);
    if (waiting <= (pool.status?.readyReplicas ?? 0) || waiting >= wanted) {
      this.forget(key);
      return 0;
    }
    const nowMs = this.#clock.monotonicMs();
    const sinceMs = this.#sinceMs.get(key) ?? nowMs;
    this.#sinceMs.set(key, sinceMs);
    return Math.max(0, sinceMs + gatheredMs - nowMs);
  }

  /** The pool is gone, or its status shows all that wait. */
  forget(key: string): void {
    this.#sinceMs.delete(key);
  }
}
