import type { z } from "zod";
import type { DeliveryLog } from "../../api/v1alpha1/index.ts";
import { knownInstant } from "../http/product-words.ts";
import type { Deliveries } from "./answers.ts";

/** A DeliveryLog in the REST API; undefined where no delivery was recorded yet. */
export function shownDeliveries(log: DeliveryLog | undefined): z.output<typeof Deliveries> {
  const { deliveries = [], refusals = [] } = log?.spec ?? {};
  return {
    deliveries: deliveries.map(({ id, time, decision, message, httpStatus, runName, bodyBytes, body }) => ({
      id,
      receivedAt: knownInstant(time),
      decision,
      message,
      httpStatus,
      invocationId: runName ?? null,
      bodyBytes,
      body: body ?? null,
    })),
    refusals: refusals.map(({ reason, count, lastTime }) => ({ reason, count, lastAt: knownInstant(lastTime) })),
  };
}
