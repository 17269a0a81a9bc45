import type { Clock } from "../../lib/clock.ts";
import type { PoolFacts } from "./facts.ts";

/** A pool is filled again when no session has taken a sandbox for so long, in milliseconds. */
const quietMs = 1_000;
/** It is filled again so long after the first was taken at the latest, in milliseconds. */
const longestMs = 5_000;

interface Burst {
  firstMs: number;
  lastMs: number;
  /** UIDs of the pods that were taken. */
  taken: readonly string[];
}

/**
 * Says when pools are filled again. The start of a pod takes CPU from the sessions that were just given one, so those that
 * come at once go first; and what they took is replaced together. What this knows is lost with the process.
 */
export class RecentClaims {
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** By the pool's key. */
  readonly #bursts = new Map<string, Burst>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Milliseconds until what sessions took is replaced; 0: now. */
  dueInMs(pool: string, { members }: Pick<PoolFacts, "members">): number {
    const taken = members.flatMap(({ isTaken, member }) => (isTaken ? [member.podUID ?? ""] : []));
    if (taken.length === 0) {
      this.forget(pool);
      return 0;
    }
    const nowMs = this.#clock.monotonicMs();
    const known = this.#bursts.get(pool);
    const hasMore = taken.some((uid) => !known?.taken.includes(uid));
    const burst = { firstMs: known?.firstMs ?? nowMs, lastMs: known && !hasMore ? known.lastMs : nowMs, taken };
    this.#bursts.set(pool, burst);
    return Math.max(0, Math.min(burst.lastMs + quietMs, burst.firstMs + longestMs) - nowMs);
  }

  /** The pool is gone, or nothing was taken from it. */
  forget(pool: string): void {
    this.#bursts.delete(pool);
  }
}
