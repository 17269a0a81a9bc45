import { parseKey } from "../../../lib/resource.ts";
import { withShares } from "./shares.ts";

/** `namespace/name` of a class's pods, by what the API server shows. */
export type ListPods = (className: string) => ReadonlySet<string>;

/** How many places a class has. */
export interface ClassPlaces {
  maxSandboxes: number;
  /** Undefined: a namespace may take all. */
  maxSandboxesPerNamespace?: number | undefined;
}

/** Those who wait for a class's places in one line: child sessions, or the others. */
interface Line {
  className: string;
  isChild: boolean;
}

interface Waiter extends Line, ClassPlaces {
  /** RFC 3339; within a namespace the session that exists longer goes first. */
  since: string;
  /** It goes before all others, of its own and of other namespaces. */
  isNext?: boolean | undefined;
  /** Has one that is no session look for its place again. */
  wake?: (() => void) | undefined;
}

/** A pod that needs a place. */
interface Place extends Waiter {
  podKey: string;
  /** `namespace/name` of a session; others begin with their namespace, too. */
  waiterKey: string;
}

/** How taking a place came out: what is full has none left for the session. */
export type Taking = "taken" | "classIsFull" | "namespaceIsFull";

/**
 * How many of a class's places, or of a namespace's in it, only child sessions take: one in ten, at least one. A parent
 * holds its place while it waits for its children, so without these the parents could take all places and wait for ever.
 */
export function placesForChildren(places: number): number {
  return places < 2 ? 0 : Math.max(1, Math.floor(places / 10));
}

/**
 * Places for sandboxes, by class. Pods that are being created count from the moment their place is taken, since the
 * watch shows them later. A session that finds no place is woken when there may be one: first one of the namespace that
 * has the fewest sandboxes of the class, of those the oldest. Builds of images that have waited for long go before them.
 */
export class SandboxSlots {
  readonly #podsOf: ListPods;
  readonly #wake: (sessionKey: string) => void;
  readonly #taken = new Map<string, string>();
  readonly #waiting = new Map<string, Waiter>();

  /** `podsOf` gives the class's pods that are not being deleted. */
  constructor(podsOf: ListPods, wake: (sessionKey: string) => void) {
    this.#podsOf = podsOf;
    this.#wake = wake;
  }

  /** Takes a place for a pod unless there is none, which makes the session wait. */
  take({ podKey, waiterKey, ...waiter }: Place): Taking {
    const { className, maxSandboxes, isChild } = waiter;
    const pods = this.podKeys(className);
    if (!pods.has(podKey)) {
      this.#waiting.set(waiterKey, waiter);
      const at = this.#line(waiter, pods).indexOf(waiterKey);
      if (at < 0) return "namespaceIsFull";
      if (at >= maxSandboxes - pods.size - (isChild ? 0 : placesForChildren(maxSandboxes))) return "classIsFull";
    }
    this.#waiting.delete(waiterKey);
    this.#taken.set(podKey, className);
    // Several places may have become free at once, and each of those only woke this one.
    this.freed(className);
    return "taken";
  }

  /** Whether the class has a place that nobody waits for, but those whose namespace has none left for them. */
  hasSpare({
    className,
    namespace,
    maxSandboxes,
    ...limit
  }: ClassPlaces & { className: string; namespace: string }): boolean {
    const pods = this.podKeys(className);
    const own = [...pods].filter((key) => namespaceOf(key) === namespace).length;
    if (pods.size >= maxSandboxes - placesForChildren(maxSandboxes)) return false;
    if (own >= placesInNamespace({ ...limit, isChild: false })) return false;
    return [true, false].every((isChild) => this.#line({ className, isChild }, pods).length === 0);
  }

  /** The pod shows in the cache, or will never be: its place is counted by the cache again. */
  settled(podKey: string): void {
    this.#taken.delete(podKey);
  }

  /** `namespace/name` of the pods that have a place of the class. */
  podKeys(className: string): ReadonlySet<string> {
    const created = [...this.#taken].filter(([, of]) => of === className).map(([key]) => key);
    return new Set([...this.#podsOf(className), ...created]);
  }

  /** Whether sessions wait for a place of the class. */
  isAwaited(className: string): boolean {
    return [...this.#waiting.values()].some((waiter) => waiter.className === className);
  }

  /** It needs no place any more. */
  leave(waiterKey: string): void {
    const waiter = this.#waiting.get(waiterKey);
    if (!waiter) return;
    this.#waiting.delete(waiterKey);
    this.freed(waiter.className);
  }

  /** A place of the class may have become free: wakes the first child and the first other session that wait. */
  freed(className: string): void {
    const pods = this.podKeys(className);
    for (const isChild of [true, false]) {
      const [next] = this.#line({ className, isChild }, pods);
      if (next !== undefined) this.#wakeUp(next);
    }
  }

  /** The class has changed: wakes all sessions that wait for it. */
  changed(className: string): void {
    for (const [key, waiter] of this.#waiting) if (waiter.className === className) this.#wakeUp(key);
  }

  #wakeUp(key: string): void {
    const { wake } = this.#waiting.get(key) ?? {};
    if (wake) wake();
    else this.#wake(key);
  }

  /** Keys of the sessions that wait, the next one first, but for those whose namespace has no place left for them. */
  #line({ className, isChild }: Line, pods: ReadonlySet<string>): string[] {
    const inLine = [...this.#waiting].filter(([, one]) => one.className === className && one.isChild === isChild);
    inLine.sort(([, left], [, right]) => nextFirst(left, right) || left.since.localeCompare(right.since));
    const ranked = withShares(
      inLine.map(([key, waiter]) => {
        return { key, namespace: namespaceOf(key), limit: placesInNamespace(waiter), isNext: waiter.isNext };
      }),
      [...pods].map(namespaceOf),
    );
    const admitted = ranked.filter(({ one, share }) => share < one.limit);
    admitted.sort((left, right) => nextFirst(left.one, right.one) || left.share - right.share);
    return admitted.map(({ one }) => one.key);
  }
}

function namespaceOf(key: string): string {
  return parseKey(key).namespace ?? "";
}

function nextFirst(left: Pick<Waiter, "isNext">, right: Pick<Waiter, "isNext">): number {
  return Number(right.isNext ?? false) - Number(left.isNext ?? false);
}

function placesInNamespace({
  isChild,
  maxSandboxesPerNamespace: places,
}: Pick<Waiter, "isChild" | "maxSandboxesPerNamespace">): number {
  if (places === undefined) return Infinity;
  return places - (isChild ? 0 : placesForChildren(places));
}
