import { shownBytes } from "../../lib/shown-bytes.ts";
import type { EventBound } from "../../api/runtime/events-left-out.ts";

/** What events of sessions may have of the blob store, in bytes; undefined: as the store's size allows. */
export interface EventBudgets {
  namespace?: number | undefined;
  total?: number | undefined;
}

/** Bytes that each blob of events counts in addition, to limit many small ones too. */
export const eventBlobOverhead = 4_096;

/** Share of a volume that is kept for events. */
export const eventsShare = 0.2;

/** Beyond a budget, results of boots and prompts have this part of it more. */
const reserve = 1 / 16;

/**
 * How much the events of sessions have of the blob store, by namespace and in all. A namespace may have as much as it leaves free, unless a
 * budget says otherwise. Until the store was measured there is room; other replicas' events count from the next measurement on.
 */
export class EventUsage {
  readonly #budgets: EventBudgets;
  #total = Infinity;
  #measured: ReadonlyMap<string, number> = new Map();
  /** Added since the last measurement began. */
  #added = new Map<string, number>();
  #sum = 0;

  constructor(budgets: EventBudgets) {
    this.#budgets = budgets;
  }

  /** Bytes in use, and what they may be; for metrics. */
  get total(): { used: number; bound: number } {
    return { used: this.#sum, bound: this.#total };
  }

  /** A measurement begins; what is added from now on may not be in it. Gives what takes its result: bytes by namespace. */
  begin(storeBytes: number): (found: ReadonlyMap<string, number>) => void {
    const earlier = this.#added;
    this.#added = new Map();
    this.#measured = addedUp(this.#measured, earlier);
    return (found) => {
      this.#total = this.#budgets.total ?? storeBytes * eventsShare;
      this.#measured = found;
      this.#sum = sumOf(found) + sumOf(this.#added);
    };
  }

  /** Bytes that will be stored. */
  add(namespace: string, bytes: number): void {
    this.#added.set(namespace, (this.#added.get(namespace) ?? 0) + bytes);
    this.#sum += bytes;
  }

  /** The budget that leaves no room for an event of a namespace; undefined: there is room. */
  fullFor(namespace: string, isEssential: boolean): Exclude<EventBound, "session"> | undefined {
    const more = isEssential ? 1 + reserve : 1;
    if (this.#sum >= this.#total * more) return "total";
    return this.#usedBy(namespace) >= this.#boundOf() * more ? "namespace" : undefined;
  }

  /** Why a budget is reached, and what to do. */
  because(bound: Exclude<EventBound, "session">, namespace: string): string {
    const what = "delete Sessions that are no longer needed, or ask the platform team for more";
    const told =
      bound === "total"
        ? `events of all sessions have used ${shownBytes(this.#sum)} of ${shownBytes(this.#total)}`
        : `events of sessions of namespace ${namespace} have used ${shownBytes(this.#usedBy(namespace))} of ${shownBytes(this.#boundOf())}`;
    return `${told}: ${what} (gateway.blobStore.budgets.events.${bound})`;
  }

  #usedBy(namespace: string): number {
    return (this.#measured.get(namespace) ?? 0) + (this.#added.get(namespace) ?? 0);
  }

  #boundOf(): number {
    return this.#budgets.namespace ?? Math.max(0, this.#total - this.#sum);
  }
}

function sumOf(bytes: ReadonlyMap<string, number>): number {
  return [...bytes.values()].reduce((sum, one) => sum + one, 0);
}

function addedUp(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): Map<string, number> {
  const sums = new Map(one);
  for (const [namespace, bytes] of other) sums.set(namespace, bytes + (sums.get(namespace) ?? 0));
  return sums;
}
