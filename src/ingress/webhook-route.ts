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
import type { AnswerObserver, DeliveryLedger, DeliveryTraces } from "./ports.ts";
import { remember, type Decision, type Visit } from "./delivery-log/remember.ts";
import { takeDelivery, type TakeDeliveryDeps } from "./take-delivery.ts";

export interface WebhookRouteDeps extends TakeDeliveryDeps {
  clock: Clock;
  random: Pick<Random, "bytes">;
  ledger: DeliveryLedger;
  observer: AnswerObserver;
  traces?: DeliveryTraces | undefined;
}

/** From the last byte of a request to its answer, in milliseconds; below the 3 s that are promised. */
const answerWithinMs = 2_600;
const idBytes = 16;

/**
 * `POST /webhooks/automation/<namespace>.<name>`: checks in the order method, media type, size, key present; then what
 * {@link takeDelivery} does. The id is not looked at before a key is there, so that nobody without one can tell ids
 * apart. `idText` is the last segment of the path, undecoded: a well-formed id needs no escapes.
 */
export function webhookRoute(deps: WebhookRouteDeps) {
  return async (request: IncomingMessage, response: ServerResponse, idText: string): Promise<void> => {
    const startMs = deps.clock.monotonicMs();
    const deliveryId = base32(deps.random.bytes(idBytes));
    const visit: Visit = {
      deliveryId,
      automationId: parseNamespacedName(idText),
      receivedAt: deps.clock.now(),
      trace: deps.traces?.begin(deliveryId, traceparentOf(request)),
      bytes: 0,
    };
    response.setHeader("Runwright-Delivery-Id", visit.deliveryId);
    const observe = (answer: Pick<AnswerFacts, "status" | "outcome" | "cause" | "error">): AnswerFacts => {
      const facts: AnswerFacts = {
        ...answer,
        deliveryId: visit.deliveryId,
        method: request.method ?? "",
        automation: visit.automationId && idText,
        bytes: visit.bytes,
        durationMs: deps.clock.monotonicMs() - startMs,
        traceId: visit.trace?.context.traceId,
      };
      deps.observer.answered(facts);
      return facts;
    };
    const decision = await decide(deps, request, visit);
    if (!decision) {
      observe({ status: 0, outcome: "SenderGone" });
      return;
    }
    const { outcome } = decision;
    const status = answer({ request, response, clock: deps.clock }, outcome);
    const facts = observe({ status, ...outcomeFacts(outcome, status) });
    // Whoever has no key of the automation's tells us nothing that is worth keeping.
    if (decision.automation) visit.trace?.answered(facts);
    remember(deps.ledger, { ...visit, ...decision, status });
  };
}

/** What becomes of the request; undefined where its sender went away before it was whole. */
async function decide(deps: WebhookRouteDeps, request: IncomingMessage, visit: Visit): Promise<Decision | undefined> {
  try {
    return await take(deps, request, visit);
  } catch (error) {
    if (error instanceof SenderGoneError) return undefined;
    return { outcome: error instanceof Refusal ? error : unavailable("bug", error) };
  }
}

async function take(deps: WebhookRouteDeps, request: IncomingMessage, visit: Visit): Promise<Decision> {
  if (request.method !== "POST") {
    throw new Refusal({ code: "MethodNotAllowed", message: "Deliveries are sent with POST" });
  }
  requireJson(request.headers);
  const body = await readBody(request);
  visit.bytes = body.length;
  const key = bearerKey(request.headers.authorization);
  const { deliveryId, automationId, receivedAt } = visit;
  const traceparent = visit.trace && formatTraceparent(visit.trace.context);
  const deadlineMs = deps.clock.monotonicMs() + answerWithinMs;
  return takeDelivery(deps, { deliveryId, automationId, key, body, receivedAt, deadlineMs, traceparent });
}

/** As it was sent; of a header that came twice Node makes one text, which is no valid one. */
function traceparentOf({ headers }: IncomingMessage): string | undefined {
  return Array.isArray(headers.traceparent) ? undefined : headers.traceparent;
}

function outcomeFacts(outcome: Decision["outcome"], status: number): Pick<AnswerFacts, "outcome" | "cause" | "error"> {
  if (!(outcome instanceof Refusal)) return { outcome: outcome.verdict };
  return { outcome: outcome.code, cause: outcome.why, error: status >= 500 ? outcome.cause : undefined };
}
