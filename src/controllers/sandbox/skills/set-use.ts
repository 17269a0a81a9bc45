import type { Clock } from "../../../lib/clock.ts";
import { overBudget, type SkillSetBound, type SkillSetBudgets, type StoredSet, type WantedSet } from "./set-budget.ts";

/** How long a stored set is kept after its last use: 1 hour. */
const keptMs = 3_600_000;

/** What bounds the sets. */
export interface SkillSetLedger {
  /** Those that the caches show, by digest. */
  stored: () => ReadonlyMap<string, StoredSet>;
  budgets: SkillSetBudgets;
  /** Counts a set that found no room. */
  refused?: (bound: SkillSetBound) => void;
}

interface Use {
  usedMs: number;
  /** As it counts while no cache shows it. */
  set?: StoredSet;
  /** Owners whose start goes on with it. */
  starts: Set<string>;
}

/**
 * When sets of skills were last used in a start, as this process knows. Sessions whose status names a set need no entry; a
 * start that goes on, whose session's status does not name it yet, does. Only the leader starts and collects, so that no
 * start can begin with a set while it is being deleted.
 */
export class SkillSetUse {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #ledger: SkillSetLedger | undefined;
  readonly #uses = new Map<string, Use>();
  readonly #going = new Set<string>();
  #failed: (() => void) | undefined;

  /** Without a ledger nothing bounds the sets. */
  constructor(clock: Pick<Clock, "monotonicMs">, ledger?: SkillSetLedger) {
    this.#clock = clock;
    this.#ledger = ledger;
  }

  /** Calls `handler` when a start has failed that alone used its set. */
  onFailed(handler: () => void): void {
    this.#failed = handler;
  }

  /**
   * The start of an owner stores or finds the set, which counts from here on. Gives why there is no room for it, in words.
   * @throws Error while the set is being deleted; the start is tried again
   */
  admit(wanted: WantedSet, ownerUid: string): string | undefined {
    const problem = this.#ledger && overBudget(this.#counted(), wanted, this.#ledger.budgets);
    if (problem) {
      this.#ledger.refused?.(problem.bound);
      return problem.message;
    }
    const { digest, bytes, namespace } = wanted;
    const use = this.use(digest);
    const namespaces = new Set([...(use.set?.namespaces ?? []), namespace]);
    use.set = { digest, bytes, namespaces };
    use.starts.add(ownerUid);
    return undefined;
  }

  /** A start uses the set. @throws Error while the set is being deleted; the start is tried again */
  use(digest: string): Use {
    if (this.#going.has(digest)) throw new Error("the session's set of skills is just being deleted");
    const use = this.#uses.get(digest) ?? { usedMs: 0, starts: new Set() };
    use.usedMs = this.#clock.monotonicMs();
    this.#uses.set(digest, use);
    return use;
  }

  /** The owner's start is over, and its status names the set from now on. */
  started(ownerUid: string): void {
    for (const { starts } of this.#uses.values()) starts.delete(ownerUid);
  }

  /** The owner's start has failed: a set that no other start uses is not kept for another one. */
  failed(ownerUid: string): void {
    for (const use of this.#uses.values()) {
      if (!use.starts.delete(ownerUid) || use.starts.size > 0) continue;
      use.usedMs = -Infinity;
      this.#failed?.();
    }
  }

  /** Deletes a set that no session names, once nothing has used it for an hour; the hour begins with the first look. */
  async deleteIfUnused(digest: string, remove: () => Promise<void>): Promise<void> {
    const usedMs = this.#uses.get(digest)?.usedMs;
    if (usedMs === undefined) this.use(digest);
    if (usedMs === undefined || this.#clock.monotonicMs() - usedMs < keptMs) return;
    this.#going.add(digest);
    try {
      await remove();
      this.#uses.delete(digest);
    } finally {
      this.#going.delete(digest);
    }
  }

  /** What the caches show, and what they do not show yet. */
  #counted(): StoredSet[] {
    const counted = new Map(this.#ledger?.stored());
    for (const [digest, { usedMs, set }] of this.#uses) {
      if (!set || this.#clock.monotonicMs() - usedMs >= keptMs) continue;
      const shown = counted.get(digest);
      counted.set(digest, shown ? { ...shown, namespaces: new Set([...shown.namespaces, ...set.namespaces]) } : set);
    }
    return [...counted.values()];
  }
}
