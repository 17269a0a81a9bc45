import type { LoggedDelivery, RefusalReason } from "../api/v1alpha1/index.ts";
import type { AnswerFacts } from "./answer-facts.ts";
import type { NamespacedName } from "../lib/namespaced-name.ts";
import type { Delivery, LoggedAutomation, WebhookAutomation } from "../domain/deliveries/delivery.ts";
import type { Accepted } from "../domain/deliveries/receipt.ts";
import type { TraceContext } from "../domain/tracing/trace-context.ts";

/** Reads the current state of Automations. */
export interface AutomationReader {
  /**
   * The Automation as it was at most 1 s ago; undefined where there is none or its trigger is not a webhook. Rejects
   * with a Refusal `Unavailable` within 2.3 s when it cannot be read.
   */
  read(id: NamespacedName): Promise<WebhookAutomation | undefined>;
  /** Why reads cannot be served yet, for readiness; undefined when they can. */
  notReadyBecause(): string | undefined;
}

/** Stores accepted deliveries. */
export interface RunWriter {
  /**
   * Resolves when the delivery's Run is stored: `triggered` for a new one, `skipped` when its idempotency key has one
   * already; names the Run. Rejects with a Refusal before the delivery's deadline in every other case.
   */
  create(automation: WebhookAutomation, delivery: Delivery): Promise<Accepted>;
}

/** Records outcomes of requests, so that people see why an automation did not fire; never delays an answer. */
export interface DeliveryLedger {
  /** Records a delivery whose key matched. */
  note(automation: LoggedAutomation, delivery: LoggedDelivery): void;
  /** Counts a request without the automation's key. */
  countRefusal(automation: NamespacedName, reason: RefusalReason, at: Date): void;
}

/** Traces of deliveries. */
export interface DeliveryTraces {
  /** Begins the span of a delivery, below the `traceparent` of its sender. */
  begin(deliveryId: string, traceparent: string | undefined): DeliveryTrace;
}

export interface DeliveryTrace {
  /** Parent of the spans of the delivery's Run. */
  context: TraceContext;
  answered(facts: AnswerFacts): void;
}

export interface AnswerObserver {
  answered(facts: AnswerFacts): void;
}
