import type { Change } from "../../kube/cache.ts";
import type { Clock } from "../../lib/clock.ts";
import type { KubeObject } from "../../lib/resource.ts";
import { isDeleted } from "../predicates.ts";

/** How long after an owner went its Secrets are looked for again, in milliseconds: what was being created then is there. 1 minute. */
export const settleMs = 60_000;

/** UIDs of owners that were deleted a moment ago. They are lost with the process; then the age of what they left counts. */
export class GoneOwners {
  readonly #clock: Pick<Clock, "now">;
  /** When each went, in milliseconds since 1970, oldest first. */
  readonly #gone = new Map<string, number>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  note(change: Change<KubeObject>): void {
    const { uid } = change.object.metadata;
    if (uid === undefined || !isDeleted(change)) return;
    this.#forget();
    this.#gone.set(uid, this.#clock.now().getTime());
  }

  /** Those who went within the last two minutes: the look after a minute still knows them. */
  uids(): ReadonlySet<string> {
    this.#forget();
    return new Set(this.#gone.keys());
  }

  #forget(): void {
    const oldestMs = this.#clock.now().getTime() - 2 * settleMs;
    for (const [uid, goneMs] of this.#gone) if (goneMs < oldestMs) this.#gone.delete(uid);
  }
}
