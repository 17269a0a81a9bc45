import type { IncomingMessage, ServerResponse } from "node:http";

import { parseNamespacedName } from "../lib/namespaced-name.ts";
import { Refusal, unavailable } from "../domain/deliveries/refusal.ts";
import type { AnswerFacts } from "./answer-facts.ts";
import { base32 } from "../lib/base32.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import { answer } from "./answer.ts";
import { SenderGoneError } from "./body.ts";
import type { BodyBudget } from "../lib/body-budget.ts";
import type { ClusterDeliveryLedger } from "./delivery-log/delivery-ledger.ts";
import type { DeliveryTraces } from "./tracing/delivery-traces.ts";
import { noteRequest, type HandledRequest, type ReceivedRequest } from "./delivery-log/note-request.ts";
import type { AcceptDeliveryDeps } from "./accept-delivery.ts";

export interface DeliveryRouteDeps extends AcceptDeliveryDeps {
  bodies: BodyBudget;
  clock: Clock;
  random: Pick<Random, "bytes">;
  ledger: Pick<ClusterDeliveryLedger, "note" | "countRefusal">;
  observer: { answered(facts: AnswerFacts): void };
  /** Absent where traces are not wanted. */
  traces?: DeliveryTraces | undefined;
}

const idBytes = 16;

/** Checks one request and stores its Run. Rejects with a Refusal until the sender has proved whose the request is. */
export type AcceptRequest = (
  deps: AcceptDeliveryDeps & Pick<DeliveryRouteDeps, "bodies" | "clock">,
  request: IncomingMessage,
  received: ReceivedRequest,
) => Promise<HandledRequest>;

export interface DeliveryProtocol {
  accept: AcceptRequest;
  /** `WWW-Authenticate` of answers 401 that name no other: how a sender proves whose a request is. */
  challenge: string;
}

/**
 * `POST <path>/<namespace>.<name>`: answers, logs and counts what `accept` decides. `idText` is the last segment of the
 * path, undecoded: a well-formed id needs no escapes.
 */
export function deliveryRoute(deps: DeliveryRouteDeps, { accept, challenge }: DeliveryProtocol) {
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
    const handled = await handle(() => accept(deps, request, received), request);
    if (!handled) {
      observe({ status: 0, outcome: "SenderGone" });
      return;
    }
    const { outcome } = handled;
    const status = answer({ request, response, clock: deps.clock, challenge }, outcome);
    const facts = observe({ status, ...outcomeFacts(outcome, status) });
    // Requests without the automation's key are not worth a span.
    if (handled.automation) received.trace?.answered(facts);
    noteRequest(deps.ledger, { ...received, ...handled, status });
  };
}

/** Undefined where the sender closed the connection before its request was complete. */
async function handle(
  accept: () => Promise<HandledRequest>,
  { method }: IncomingMessage,
): Promise<HandledRequest | undefined> {
  try {
    if (method !== "POST") throw new Refusal({ code: "MethodNotAllowed", message: "Deliveries are sent with POST" });
    return await accept();
  } catch (error) {
    if (error instanceof SenderGoneError) return undefined;
    return { outcome: error instanceof Refusal ? error : unavailable("bug", error) };
  }
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
