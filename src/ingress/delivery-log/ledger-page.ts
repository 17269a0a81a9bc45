import {
  deliveryLogLimits,
  type DeliveryLogSpec,
  type LoggedDelivery,
  type RefusalReason,
} from "../../api/v1alpha1/index.ts";
import { mergedDeliveryLog } from "./delivery-log.ts";
import type { LoggedAutomation } from "../../domain/deliveries/delivery.ts";

/** Minimum time between this replica's writes of one log, in milliseconds. */
const writeEveryMs = 5_000;
/** Time from the first delivery of a page to its write, so that a burst becomes one write. */
const gatherMs = 1_000;
/** The same for a page with counts alone: requests without the key must cost next to nothing. */
const gatherCountsMs = 60_000;
/** Number of deliveries at which a page is cut to what a log keeps. */
const cutAt = 2 * deliveryLogLimits.deliveries;
/** Approximate memory of an entry without its body. */
const entryBytes = 512;

/** Entries that are not yet in the log of one Automation, and when to write them. Times are monotonic milliseconds. */
export class LedgerPage {
  readonly automation: LoggedAutomation;
  #deliveries: LoggedDelivery[] = [];
  readonly #refusals = new Map<RefusalReason, { count: number; lastTime: string }>();
  #bytes = 0;
  #gatheredMs: number | undefined;
  #lastTakenMs = -Infinity;

  constructor(automation: LoggedAutomation) {
    this.automation = automation;
  }

  get isEmpty(): boolean {
    return this.#deliveries.length === 0 && this.#refusals.size === 0;
  }

  /** Approximate memory of the page. */
  get bytes(): number {
    return this.#bytes;
  }

  /** When it should be written; for an empty page, when it may be forgotten. */
  get dueMs(): number {
    return Math.max(this.#gatheredMs ?? -Infinity, this.#lastTakenMs + writeEveryMs);
  }

  note(delivery: LoggedDelivery, nowMs: number): void {
    this.#gatherUntil(nowMs + gatherMs);
    this.#deliveries.push(delivery);
    this.#bytes += sizeOf(delivery);
    if (this.#deliveries.length >= cutAt) this.#keep(mergedDeliveryLog({}, { deliveries: this.#deliveries }));
  }

  count(reason: RefusalReason, lastTime: string, nowMs: number): void {
    this.#gatherUntil(nowMs + gatherCountsMs);
    this.#refusals.set(reason, { count: (this.#refusals.get(reason)?.count ?? 0) + 1, lastTime });
  }

  /** Takes everything off the page, for a write. */
  take(nowMs: number): DeliveryLogSpec {
    const taken = this.#content();
    this.#lastTakenMs = nowMs;
    this.#gatheredMs = undefined;
    this.#keep({});
    this.#refusals.clear();
    return taken;
  }

  /** Merges back what could not be written; due at the next write. */
  putBack(taken: DeliveryLogSpec): void {
    const all = mergedDeliveryLog(taken, this.#content());
    this.#gatheredMs = undefined;
    this.#keep(all);
    for (const { reason, ...count } of all.refusals ?? []) this.#refusals.set(reason, count);
  }

  /** Drops its deliveries; returns how many there were. */
  dropDeliveries(): number {
    const dropped = this.#deliveries.length;
    this.#keep({});
    return dropped;
  }

  #gatherUntil(ms: number): void {
    this.#gatheredMs = this.isEmpty ? ms : Math.min(ms, this.#gatheredMs ?? -Infinity);
  }

  #content(): DeliveryLogSpec {
    const refusals = [...this.#refusals].map(([reason, count]) => ({ reason, ...count }));
    return { deliveries: this.#deliveries, refusals };
  }

  #keep({ deliveries = [] }: DeliveryLogSpec): void {
    this.#deliveries = [...deliveries];
    this.#bytes = deliveries.reduce((bytes, delivery) => bytes + sizeOf(delivery), 0);
  }
}

function sizeOf({ body = "" }: LoggedDelivery): number {
  return entryBytes + body.length;
}
