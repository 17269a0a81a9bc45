import type { Reconciler } from "../kube/controller.ts";
import { requeueAfter } from "../kube/outcome.ts";
import type { ObjectKey } from "../lib/resource.ts";

/** Milliseconds until a key is looked at again whose Integration has no place. */
const busyMs = 250;

/** Places of Integrations: so many at a time for each, so that none waits for another whose provider does not answer. */
export class Lanes {
  readonly #most: { ofOne: number; inAll: number };
  readonly #working = new Map<string, number>();
  #all = 0;

  constructor({ ofOne, inAll = Infinity }: { ofOne: number; inAll?: number }) {
    this.#most = { ofOne, inAll };
  }

  /** Takes a place of an Integration, by its UID; gives what frees it, or undefined where there is none. */
  enter(uid: string): (() => void) | undefined {
    const own = this.#working.get(uid) ?? 0;
    if (own >= this.#most.ofOne || this.#all >= this.#most.inAll) return undefined;
    this.#working.set(uid, own + 1);
    this.#all += 1;
    return () => this.#leave(uid);
  }

  #leave(uid: string): void {
    const left = (this.#working.get(uid) ?? 1) - 1;
    if (left > 0) this.#working.set(uid, left);
    else this.#working.delete(uid);
    this.#all -= 1;
  }
}

/** Works on a key only while its Integration has a place. */
export function inLanes(
  reconciler: Pick<Reconciler, "reconcile">,
  lanes: Lanes,
  integrationOf: (key: ObjectKey) => string | undefined,
): Reconciler {
  return {
    async reconcile(key, signal) {
      const leave = lanes.enter(integrationOf(key) ?? "");
      if (!leave) return requeueAfter(busyMs);
      try {
        return await reconciler.reconcile(key, signal);
      } finally {
        leave();
      }
    },
  };
}
