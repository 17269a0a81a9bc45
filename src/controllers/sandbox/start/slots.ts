/** How many pods of a class there are, by what the API server shows. */
export type CountPods = (className: string) => ReadonlySet<string>;

interface Waiter {
  className: string;
  isChild: boolean;
  /** RFC 3339; the session that exists longer goes first. */
  since: string;
}

/** A pod that needs a place. */
interface Place {
  className: string;
  maxSandboxes: number;
  podKey: string;
  sessionKey: string;
  /** Of a child session. */
  isChild: boolean;
  since: string;
}

/**
 * How many of a class's places only child sessions take: one in ten, at least one. A parent holds its place while it waits
 * for its children, so without these the parents could take all places and wait for ever.
 */
export function placesForChildren(maxSandboxes: number): number {
  return maxSandboxes < 2 ? 0 : Math.max(1, Math.floor(maxSandboxes / 10));
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
  take({ className, maxSandboxes, podKey, sessionKey, isChild, since }: Place): boolean {
    const pods = new Set(this.#podsOf(className));
    for (const [key, of] of this.#taken) if (of === className) pods.add(key);
    const free = maxSandboxes - pods.size - (isChild ? 0 : placesForChildren(maxSandboxes));
    const isAhead = this.#ahead({ className, isChild }, sessionKey) < free;
    if (!pods.has(podKey) && !isAhead) {
      if (!this.#waiting.has(sessionKey)) this.#waiting.set(sessionKey, { className, isChild, since });
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

  /** A place of the class may have become free: wakes the child and the other session that wait longest. */
  freed(className: string): void {
    for (const isChild of [true, false]) {
      const [next] = this.#line({ className, isChild });
      if (next !== undefined) this.#wake(next);
    }
  }

  /** The class has changed: wakes all sessions that wait for it. */
  changed(className: string): void {
    for (const isChild of [true, false]) {
      for (const key of this.#line({ className, isChild })) this.#wake(key);
    }
  }

  #ahead(of: Omit<Waiter, "since">, sessionKey: string): number {
    const line = this.#line(of);
    const place = line.indexOf(sessionKey);
    return place < 0 ? line.length : place;
  }

  /** Children wait in a line of their own. */
  #line({ className, isChild }: Omit<Waiter, "since">): string[] {
    const waiting = [...this.#waiting].filter(
      ([, waiter]) => waiter.className === className && waiter.isChild === isChild,
    );
    return waiting.sort(([, left], [, right]) => left.since.localeCompare(right.since)).map(([key]) => key);
  }
}
