import { longestPayloadBytes } from "../domain/deliveries/payload.ts";
import { formatTraceparent } from "../domain/tracing/trace-context.ts";
import { acceptDelivery, answerWithinMs } from "./accept-delivery.ts";
import { missingKey } from "./bearer.ts";
import { readBody, skipBody } from "./body.ts";
import { hasCredentials } from "./credentials.ts";
import type { AcceptRequest, DeliveryProtocol } from "./delivery-route.ts";
import { requireJson } from "./media-type.ts";

const longestBytes = longestPayloadBytes;

/**
 * Checks media type, size and presence of a proof, in this order; {@link acceptDelivery} does the rest. The id is not used
 * before that, so that requests without one learn nothing about it; nothing is kept of their bodies.
 */
const accept: AcceptRequest = async (deps, request, received) => {
  const { headers } = request;
  requireJson(headers);
  if (!hasCredentials(headers)) {
    received.bytes = await skipBody(request, { longestBytes });
    throw missingKey();
  }
  return deps.bodies.lend(async (room) => {
    const body = await readBody(request, { longestBytes, room });
    received.bytes = body.length;
    const { deliveryId, automationId, receivedAt } = received;
    const traceparent = received.trace && formatTraceparent(received.trace.context);
    const deadlineMs = deps.clock.monotonicMs() + answerWithinMs;
    return acceptDelivery(deps, { deliveryId, automationId, headers, body, receivedAt, deadlineMs, traceparent });
  });
};

export const webhookProtocol: DeliveryProtocol = { accept, challenge: "Bearer" };
