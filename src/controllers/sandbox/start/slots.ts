/** How many pods of a class there are, by what the API server shows. */
export type CountPods = (className: string) => ReadonlySet<string>;

interface Waiter {
  className: string;
  /** RFC 3339; the session that exists longer goes first. */
  since: string;
}

/**
 * Places for sandboxes, by class. Pods that are being created count from the moment their place is taken, since the
 * watch shows them later. A session that finds no place is woken when there may be one, the oldest first.
 */
export class SandboxSlots {
  readonly #podsOf: CountPods;
  readonly #wake: (sessionKey: string) => void;
  readonly #taken = new Map<string, string>();
  readonly #waiting = new Map<string, Waiter>();

  /** `podsOf` gives the `namespace/name` of a class's pods that are not being deleted. */
  constructor(podsOf: CountPods, wake: (sessionKey: string) => void) {
    this.#podsOf = podsOf;
    this.#wake = wake;
  }

  /** Takes a place for a pod unless the class is full, which makes the session wait. */
  take(place: { className: string; maxSandboxes: number; podKey: string; sessionKey: string; since: string }): boolean {
    const { className, maxSandboxes, podKey, sessionKey, since } = place;
    const pods = new Set(this.#podsOf(className));
    for (const [key, of] of this.#taken) if (of === className) pods.add(key);
    const free = maxSandboxes - pods.size;
    const isAhead = this.#ahead(className, sessionKey) < free;
    if (!pods.has(podKey) && !isAhead) {
      if (!this.#waiting.has(sessionKey)) this.#waiting.set(sessionKey, { className, since });
      return false;
    }
    this.#waiting.delete(sessionKey);
    this.#taken.set(podKey, className);
    // Several places may have become free at once, and each of those only woke this one.
    this.freed(className);
    return true;
  }

  /** The pod shows in the cache, or will never be: its place is counted by the cache again. */
  settled(podKey: string): void {
    this.#taken.delete(podKey);
  }

  /** The session needs no place any more. */
  leave(sessionKey: string): void {
    const waiter = this.#waiting.get(sessionKey);
    if (!waiter) return;
    this.#waiting.delete(sessionKey);
    this.freed(waiter.className);
  }

  /** A place of the class may have become free: wakes the session that waits longest. */
  freed(className: string): void {
    const [next] = this.#line(className);
    if (next !== undefined) this.#wake(next);
  }

  /** The class has changed: wakes all sessions that wait for it. */
  changed(className: string): void {
    for (const key of this.#line(className)) this.#wake(key);
  }

  #ahead(className: string, sessionKey: string): number {
    const place = this.#line(className).indexOf(sessionKey);
    return place < 0 ? this.#line(className).length : place;
  }

  #line(className: string): string[] {
    const waiting = [...this.#waiting].filter(([, waiter]) => waiter.className === className);
    return waiting.sort(([, left], [, right]) => left.since.localeCompare(right.since)).map(([key]) => key);
  }
}
