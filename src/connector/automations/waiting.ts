import type { IntegrationEvent } from "../../api/v1alpha1/index.ts";
import { keyOf, keyText, type ObjectKey } from "../../lib/resource.ts";

interface Waiter {
  key: ObjectKey;
  /** Sorts by when the event was received. */
  order: string;
}

/** Which events wait for a place among the unfinished Runs of an Automation: the oldest has the next one. */
export class Waiting {
  readonly #byAutomation = new Map<string, Map<string, Waiter>>();

  add(automationUid: string, event: IntegrationEvent): void {
    const waiters = this.#byAutomation.get(automationUid) ?? new Map<string, Waiter>();
    this.#byAutomation.set(automationUid, waiters);
    waiters.set(keyText(keyOf(event)), { key: keyOf(event), order: orderOf(event) });
  }

  has(automationUid: string, event: IntegrationEvent): boolean {
    return this.#byAutomation.get(automationUid)?.has(keyText(keyOf(event))) ?? false;
  }

  /** How many events that came before this one wait for the Automation. */
  before(automationUid: string, event: IntegrationEvent): number {
    const order = orderOf(event);
    return [...(this.#byAutomation.get(automationUid)?.values() ?? [])].filter((one) => one.order < order).length;
  }

  /** The events that have waited longest for the Automation. */
  first(automationUid: string, count: number): ObjectKey[] {
    const waiters = [...(this.#byAutomation.get(automationUid)?.values() ?? [])];
    waiters.sort((left, right) => (left.order < right.order ? -1 : 1));
    return waiters.slice(0, Math.max(0, count)).map(({ key }) => key);
  }

  /** An event waits no longer for an Automation; or for none, where none is named. */
  drop(event: ObjectKey, automationUid?: string): void {
    const uids = automationUid === undefined ? [...this.#byAutomation.keys()] : [automationUid];
    for (const uid of uids) {
      const waiters = this.#byAutomation.get(uid);
      waiters?.delete(keyText(event));
      if (waiters?.size === 0) this.#byAutomation.delete(uid);
    }
  }

  /** Nothing waits for an Automation that is gone. */
  forget(automationUid: string): void {
    this.#byAutomation.delete(automationUid);
  }
}

function orderOf({ metadata, spec }: IntegrationEvent): string {
  return `${spec.receivedTime} ${metadata.name ?? ""}`;
}
