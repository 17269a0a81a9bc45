import type { IncomingMessage, ServerResponse } from "node:http";

import { parseNamespacedName } from "../lib/namespaced-name.ts";
import { Refusal, unavailable } from "../domain/deliveries/refusal.ts";
import type { AnswerFacts } from "./answer-facts.ts";
import { formatTraceparent } from "../domain/tracing/trace-context.ts";
import { base32 } from "../lib/base32.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import { answer } from "./answer.ts";
import { bearerKey } from "./bearer.ts";
import { readBody, SenderGoneError } from "./body.ts";
import { requireJson } from "./media-type.ts";
import type { ClusterDeliveryLedger } from "./delivery-log/delivery-ledger.ts";
import type { DeliveryTraces } from "./tracing/delivery-traces.ts";
import { noteRequest, type HandledRequest, type ReceivedRequest } from "./delivery-log/note-request.ts";
import { acceptDelivery, type AcceptDeliveryDeps } from "./accept-delivery.ts";

export interface WebhookRouteDeps extends AcceptDeliveryDeps {
  clock: Clock;
  random: Pick<Random, "bytes">;
  ledger: Pick<ClusterDeliveryLedger, "note" | "countRefusal">;
  observer: { answered(facts: AnswerFacts): void };
  /** Absent where traces are not wanted. */
  traces?: DeliveryTraces | undefined;
}

/** Milliseconds from the last byte of a request to its answer; below the documented 3 s. */
const answerWithinMs = 2_600;
const idBytes = 16;

/**
 * `POST /webhooks/automation/<namespace>.<name>`: checks method, media type, size and presence of a key, in this order;
 * {@link acceptDelivery} does the rest. The id is not used before that, so that requests without a key learn nothing
 * about it. `idText` is the last segment of the path, undecoded: a well-formed id needs no escapes.
 */
export function webhookRoute(deps: WebhookRouteDeps) {
  return async (request: IncomingMessage, response: ServerResponse, idText: string): Promise<void> => {
    const startMs = deps.clock.monotonicMs();
    const deliveryId = base32(deps.random.bytes(idBytes));
    const received: ReceivedRequest = {
      deliveryId,
      automationId: parseNamespacedName(idText),
      receivedAt: deps.clock.now(),
      trace: deps.traces?.begin(deliveryId, traceparentOf(request)),
      bytes: 0,
    };
    response.setHeader("Runwright-Delivery-Id", received.deliveryId);
    const observe = (answer: Pick<AnswerFacts, "status" | "outcome" | "cause" | "error">): AnswerFacts => {
      const facts: AnswerFacts = {
        ...answer,
        deliveryId: received.deliveryId,
        method: request.method ?? "",
        automation: received.automationId && idText,
        bytes: received.bytes,
        durationMs: deps.clock.monotonicMs() - startMs,
        traceId: received.trace?.context.traceId,
      };
      deps.observer.answered(facts);
      return facts;
    };
    const handled = await handle(deps, request, received);
    if (!handled) {
      observe({ status: 0, outcome: "SenderGone" });
      return;
    }
    const { outcome } = handled;
    const status = answer({ request, response, clock: deps.clock }, outcome);
    const facts = observe({ status, ...outcomeFacts(outcome, status) });
    // Requests without the automation's key are not worth a span.
    if (handled.automation) received.trace?.answered(facts);
    noteRequest(deps.ledger, { ...received, ...handled, status });
  };
}

/** Undefined where the sender closed the connection before its request was complete. */
async function handle(
  deps: WebhookRouteDeps,
  request: IncomingMessage,
  received: ReceivedRequest,
): Promise<HandledRequest | undefined> {
  try {
    return await checkAndAccept(deps, request, received);
  } catch (error) {
    if (error instanceof SenderGoneError) return undefined;
    return { outcome: error instanceof Refusal ? error : unavailable("bug", error) };
  }
}

async function checkAndAccept(
  deps: WebhookRouteDeps,
  request: IncomingMessage,
  received: ReceivedRequest,
): Promise<HandledRequest> {
  if (request.method !== "POST") {
    throw new Refusal({ code: "MethodNotAllowed", message: "Deliveries are sent with POST" });
  }
  requireJson(request.headers);
  const body = await readBody(request);
  received.bytes = body.length;
  const key = bearerKey(request.headers.authorization);
  const { deliveryId, automationId, receivedAt } = received;
  const traceparent = received.trace && formatTraceparent(received.trace.context);
  const deadlineMs = deps.clock.monotonicMs() + answerWithinMs;
  return acceptDelivery(deps, { deliveryId, automationId, key, body, receivedAt, deadlineMs, traceparent });
}

/** Node joins repeated headers to one text, which then is not valid and is ignored. */
function traceparentOf({ headers }: IncomingMessage): string | undefined {
  return Array.isArray(headers.traceparent) ? undefined : headers.traceparent;
}

function outcomeFacts(
  outcome: HandledRequest["outcome"],
  status: number,
): Pick<AnswerFacts, "outcome" | "cause" | "error"> {
  if (!(outcome instanceof Refusal)) return { outcome: outcome.verdict };
  return { outcome: outcome.code, cause: outcome.why, error: status >= 500 ? outcome.cause : undefined };
}
