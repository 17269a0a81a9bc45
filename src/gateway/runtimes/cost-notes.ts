import { costNoteMs } from "../attempts/cost-note.ts";
import type { AttemptLease } from "../attempts/leases.ts";
import type { Link } from "./link.ts";

interface Deps {
  /** Undefined until the runtime has been greeted. */
  lease: () => AttemptLease | undefined;
  link: Pick<Link, "after">;
  hasLimit: () => boolean;
  failed: (error: unknown) => void;
}

/** Has the cost that a runtime reports written on its attempt's Lease, as often as {@link costNoteMs} allows. */
export class CostNotes {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  reported(costUsd: number): void {
    this.#deps.lease()?.costs(costUsd);
    this.#writeWhenDue();
  }

  /** Writes at once what was not written yet: the sandbox may be lost with its connection. */
  disconnected(): void {
    if (this.#deps.lease()?.costDueInMs(0) !== undefined) void this.#write();
  }

  #writeWhenDue(): void {
    const { lease, link, hasLimit } = this.#deps;
    const dueInMs = lease()?.costDueInMs(hasLimit() ? costNoteMs.limited : costNoteMs.unlimited);
    if (dueInMs !== undefined) link.after("cost", dueInMs, () => void this.#write());
  }

  async #write(): Promise<void> {
    try {
      await this.#deps.lease()?.storeCost();
    } catch (error) {
      this.#deps.failed(error);
    }
    // A write that failed, or more cost since.
    this.#writeWhenDue();
  }
}
