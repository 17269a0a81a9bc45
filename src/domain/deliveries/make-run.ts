import { annotations, type DeliveryType, labels, type Run } from "../../api/v1alpha1/index.ts";
import type { Delivery, LoggedAutomation } from "./delivery.ts";

/** The Run of an accepted delivery; small, because most of the cost of a delivery is its create. */
export function makeRun(
  automation: LoggedAutomation & { type: DeliveryType; generation: number },
  delivery: Omit<Delivery, "deadlineMs">,
  name: string,
): Run {
  const { type, namespace, uid, generation } = automation;
  const { id, receivedAt, payload, idempotencyKey, traceparent } = delivery;
  return {
    metadata: {
      namespace,
      name,
      labels: { [labels.automationUid]: uid, [labels.automationName]: automation.name },
      ...(traceparent !== undefined && { annotations: { [annotations.traceparent]: traceparent } }),
    },
    spec: {
      automationRef: { name: automation.name, uid, generation },
      trigger: { type, time: receivedAt.toISOString(), deliveryID: id, idempotencyKey, payload },
    },
  };
}
