import type { Clock } from "../../../lib/clock.ts";

/** How long a stored set is kept after its last use: 1 hour. */
const keptMs = 3_600_000;

/**
 * When sets of skills were last used in a start, as this process knows. Sessions whose status names a set need no entry; a
 * start that goes on, whose session's status does not name it yet, does. Only the leader starts and collects, so that no
 * start can begin with a set while it is being deleted.
 */
export class SkillSetUse {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #usedMs = new Map<string, number>();
  readonly #going = new Set<string>();

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** A start stores or finds the set. @throws Error while the set is being deleted; the start is tried again */
  use(digest: string): void {
    if (this.#going.has(digest)) throw new Error("the session's set of skills is just being deleted");
    this.#usedMs.set(digest, this.#clock.monotonicMs());
  }

  /** Deletes a set that no session names, once nothing has used it for an hour; the hour begins with the first look. */
  async deleteIfUnused(digest: string, remove: () => Promise<void>): Promise<void> {
    const usedMs = this.#usedMs.get(digest);
    if (usedMs === undefined) this.use(digest);
    if (usedMs === undefined || this.#clock.monotonicMs() - usedMs < keptMs) return;
    this.#going.add(digest);
    try {
      await remove();
      this.#usedMs.delete(digest);
    } finally {
      this.#going.delete(digest);
    }
  }
}
