import { countedRefusal, loggedDelivery } from "./logged-delivery.ts";
import { Refusal } from "../../domain/deliveries/refusal.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { Accepted } from "../../domain/deliveries/receipt.ts";
import type { LoggedAutomation } from "../../domain/deliveries/delivery.ts";
import type { DeliveryTrace } from "../tracing/delivery-traces.ts";
import type { ClusterDeliveryLedger } from "./delivery-ledger.ts";

/** A request to the webhook path, before it is handled. */
export interface ReceivedRequest {
  deliveryId: string;
  /** Undefined where the URL has no well-formed id. */
  automationId: NamespacedName | undefined;
  receivedAt: Date;
  /** Absent where traces are not wanted. */
  trace?: DeliveryTrace | undefined;
  /** Length of the body, once it was read. */
  bytes: number;
}

/** The outcome of a request. */
export interface HandledRequest {
  /** Absent unless the key matched. */
  automation?: LoggedAutomation;
  /** The body as text; absent where the delivery was refused. */
  payload?: string;
  outcome: Accepted | Refusal;
}

/** Adds an answered delivery to its automation's log; requests without the automation's key are only counted. */
export function noteRequest(
  ledger: Pick<ClusterDeliveryLedger, "note" | "countRefusal">,
  answered: ReceivedRequest & HandledRequest & { status: number },
): void {
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
