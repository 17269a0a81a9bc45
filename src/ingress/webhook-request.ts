import { longestPayloadBytes } from "../domain/deliveries/payload.ts";
import { formatTraceparent } from "../domain/tracing/trace-context.ts";
import { acceptDelivery, answerWithinMs } from "./accept-delivery.ts";
import { readBody } from "./body.ts";
import { requireCredentials } from "./credentials.ts";
import type { AcceptRequest, DeliveryProtocol } from "./delivery-route.ts";
import { requireJson } from "./media-type.ts";

/**
 * Checks media type, size and presence of a proof, in this order; {@link acceptDelivery} does the rest. The id is not used
 * before that, so that requests without one learn nothing about it.
 */
const accept: AcceptRequest = async (deps, request, received) => {
  requireJson(request.headers);
  const body = await readBody(request, { longestBytes: longestPayloadBytes });
  received.bytes = body.length;
  requireCredentials(request.headers);
  const { deliveryId, automationId, receivedAt } = received;
  const traceparent = received.trace && formatTraceparent(received.trace.context);
  const deadlineMs = deps.clock.monotonicMs() + answerWithinMs;
  return acceptDelivery(deps, {
    deliveryId,
    automationId,
    headers: request.headers,
    body,
    receivedAt,
    deadlineMs,
    traceparent,
  });
};

export const webhookProtocol: DeliveryProtocol = { accept, challenge: "Bearer" };
