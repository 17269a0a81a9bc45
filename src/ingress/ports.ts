import type { LoggedDelivery, RefusalReason } from "../api/v1alpha1/index.ts";
import type { AnswerFacts } from "./answer-facts.ts";
import type { NamespacedName } from "../lib/namespaced-name.ts";
import type { Delivery, LoggedAutomation, WebhookAutomation } from "../domain/deliveries/delivery.ts";
import type { Taken } from "../domain/deliveries/receipt.ts";
import type { TraceContext } from "../domain/tracing/trace-context.ts";

/** Tells what an Automation is right now. */
export interface AutomationReader {
  /**
   * As read live at most 1 s ago; undefined where there is none or its trigger is no webhook. Rejects with a Refusal
   * `Unavailable` within 2.3 s when that cannot be known.
   */
  read(id: NamespacedName): Promise<WebhookAutomation | undefined>;
  /** Why reads cannot be answered yet, for readiness; undefined when they can. */
  notReadyBecause(): string | undefined;
}

/** Keeps accepted deliveries. */
export interface RunWriter {
  /**
   * Resolves when the delivery's Run is stored: `triggered` for a new one, `skipped` when its idempotency key has one
   * already; names the Run. Rejects with a Refusal before the delivery's deadline in every other case.
   */
  create(automation: WebhookAutomation, delivery: Delivery): Promise<Taken>;
}

/** Remembers what became of requests, for whoever asks why an automation did not fire; never keeps an answer waiting. */
export interface DeliveryLedger {
  /** Notes a delivery whose key matched. */
  note(automation: LoggedAutomation, delivery: LoggedDelivery): void;
  /** Counts a request that had no key of the automation's. */
  countRefusal(automation: NamespacedName, reason: RefusalReason, at: Date): void;
}

/** Tells of deliveries to whoever follows traces. */
export interface DeliveryTraces {
  /** Where a delivery is, by its id and the `traceparent` of its sender. */
  begin(deliveryId: string, traceparent: string | undefined): DeliveryTrace;
}

export interface DeliveryTrace {
  /** What the delivery's Run is part of. */
  context: TraceContext;
  answered(facts: AnswerFacts): void;
}

export interface AnswerObserver {
  answered(facts: AnswerFacts): void;
}
