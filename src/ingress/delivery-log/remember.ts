import { countedRefusal, loggedDelivery } from "./logged-delivery.ts";
import { Refusal } from "../../domain/deliveries/refusal.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { Taken } from "../../domain/deliveries/receipt.ts";
import type { WebhookAutomation } from "../../domain/deliveries/delivery.ts";
import type { DeliveryLedger, DeliveryTrace } from "../ports.ts";

/** Where a request stands. */
export interface Visit {
  deliveryId: string;
  /** Undefined where the URL has no well-formed id. */
  automationId: NamespacedName | undefined;
  receivedAt: Date;
  /** Absent where nobody follows traces. */
  trace?: DeliveryTrace | undefined;
  /** Of the body that was read. */
  bytes: number;
}

/** What becomes of a request. */
export interface Decision {
  /** Where the key was the automation's own. */
  automation?: WebhookAutomation;
  /** The body as text, where the delivery was taken. */
  payload?: string;
  outcome: Taken | Refusal;
}

/** Notes an answered delivery in its automation's log; a request without the automation's key is only counted. */
export function remember(ledger: DeliveryLedger, answered: Visit & Decision & { status: number }): void {
  const { automation, automationId, outcome, receivedAt } = answered;
  if (automation) {
    const { deliveryId: id, bytes: bodyBytes, payload, status: httpStatus } = answered;
    const delivery = loggedDelivery({ id, receivedAt, bodyBytes, payload, outcome, httpStatus });
    if (delivery) ledger.note(automation, delivery);
    return;
  }
  const reason = outcome instanceof Refusal ? countedRefusal(outcome) : undefined;
  if (automationId && reason) ledger.countRefusal(automationId, reason, receivedAt);
}
