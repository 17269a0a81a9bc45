import type { IntegrationEvent } from "../../api/v1alpha1/index.ts";
import { keyOf, keyText, type ObjectKey } from "../../lib/resource.ts";

/** The events that wait for one Automation; each is found without a look at the others, of which there may be tens of thousands. */
interface Line {
  /** When each was received, by which they sort, by their keys. */
  orders: Map<string, string>;
  keys: Map<string, ObjectKey>;
  /** Sorted; no two are the same. */
  sorted: string[];
}

/** Which events wait for a place among the unfinished Runs of an Automation: the oldest has the next one. */
export class Waiting {
  readonly #byAutomation = new Map<string, Line>();

  add(automationUid: string, event: IntegrationEvent): void {
    const line = this.#byAutomation.get(automationUid) ?? { orders: new Map(), keys: new Map(), sorted: [] };
    this.#byAutomation.set(automationUid, line);
    const key = keyOf(event);
    if (line.orders.has(keyText(key))) return;
    const order = orderOf(event);
    line.orders.set(keyText(key), order);
    line.keys.set(order, key);
    line.sorted.splice(placeOf(line, order), 0, order);
  }

  has(automationUid: string, event: IntegrationEvent): boolean {
    return this.#byAutomation.get(automationUid)?.orders.has(keyText(keyOf(event))) ?? false;
  }

  /** How many events that came before this one wait for the Automation. */
  before(automationUid: string, event: IntegrationEvent): number {
    const line = this.#byAutomation.get(automationUid);
    return line ? placeOf(line, orderOf(event)) : 0;
  }

  /** The events that have waited longest for the Automation. */
  first(automationUid: string, count: number): ObjectKey[] {
    const { sorted = [], keys } = this.#byAutomation.get(automationUid) ?? {};
    return sorted.slice(0, Math.max(0, count)).flatMap((order) => keys?.get(order) ?? []);
  }

  /** An event waits no longer for an Automation; or for none, where none is named. */
  drop(event: ObjectKey, automationUid?: string): void {
    const uids = automationUid === undefined ? [...this.#byAutomation.keys()] : [automationUid];
    for (const uid of uids) {
      const line = this.#byAutomation.get(uid);
      const order = line?.orders.get(keyText(event));
      if (!line || order === undefined) continue;
      line.orders.delete(keyText(event));
      line.keys.delete(order);
      line.sorted.splice(placeOf(line, order), 1);
      if (line.sorted.length === 0) this.#byAutomation.delete(uid);
    }
  }

  /** Nothing waits for an Automation that is gone. */
  forget(automationUid: string): void {
    this.#byAutomation.delete(automationUid);
  }
}

/** How many of those that wait come before; halves the line until one place is left. */
function placeOf({ sorted }: Line, order: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? "") < order) low = middle + 1;
    else high = middle;
  }
  return low;
}

function orderOf({ metadata, spec }: IntegrationEvent): string {
  return `${spec.receivedTime} ${metadata.name ?? ""}`;
}
