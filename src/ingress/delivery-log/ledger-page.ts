import {
  deliveryLogLimits,
  type LoggedDelivery,
  type LogWriter,
  type RefusalReason,
} from "../../api/v1alpha1/index.ts";
import { boundedDeliveries, type CountedRefusals, type LogEntries } from "./delivery-log.ts";
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
  /** Counts that may be in the log already; they keep their sequence number until that is known. */
  #unconfirmed: CountedRefusals | undefined;
  #bytes = 0;
  #gatheredMs: number | undefined;
  #lastTakenMs = -Infinity;

  constructor(automation: LoggedAutomation) {
    this.automation = automation;
  }

  get isEmpty(): boolean {
    return this.#deliveries.length === 0 && this.#refusals.size === 0 && !this.#unconfirmed;
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
    if (this.#deliveries.length >= cutAt) this.#keep(boundedDeliveries(this.#deliveries));
  }

  count(reason: RefusalReason, lastTime: string, nowMs: number): void {
    this.#gatherUntil(nowMs + gatherCountsMs);
    this.#refusals.set(reason, { count: (this.#refusals.get(reason)?.count ?? 0) + 1, lastTime });
  }

  /** Takes deliveries off the page, for a write, and counts under a sequence number of their own. */
  take(nowMs: number, nextWriter: () => LogWriter): LogEntries {
    if (!this.#unconfirmed && this.#refusals.size > 0) {
      const refusals = [...this.#refusals].map(([reason, count]) => ({ reason, ...count }));
      this.#unconfirmed = { writer: nextWriter(), refusals };
      this.#refusals.clear();
    }
    const taken = { deliveries: this.#deliveries, counted: this.#unconfirmed };
    this.#lastTakenMs = nowMs;
    this.#gatheredMs = undefined;
    this.#keep([]);
    return taken;
  }

  /** What was taken is in the log. */
  confirm(): void {
    this.#unconfirmed = undefined;
  }

  /** Merges back what was perhaps not written; due at the next write. */
  putBack({ deliveries }: LogEntries): void {
    this.#gatheredMs = -Infinity;
    this.#keep(boundedDeliveries([...deliveries, ...this.#deliveries]));
  }

  /** Drops its deliveries; returns how many there were. */
  dropDeliveries(): number {
    const dropped = this.#deliveries.length;
    this.#keep([]);
    return dropped;
  }

  #gatherUntil(ms: number): void {
    this.#gatheredMs = Math.min(ms, this.#gatheredMs ?? ms);
  }

  #keep(deliveries: readonly LoggedDelivery[]): void {
    this.#deliveries = [...deliveries];
    this.#bytes = deliveries.reduce((bytes, delivery) => bytes + sizeOf(delivery), 0);
  }
}

function sizeOf({ body = "" }: LoggedDelivery): number {
  return entryBytes + body.length;
}
