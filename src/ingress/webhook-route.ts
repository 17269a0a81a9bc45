import type { IncomingMessage, ServerResponse } from "node:http";

import { parseAutomationId, Refusal, unavailable, type Verdict } from "../domain/deliveries/index.ts";
import { base32 } from "../lib/base32.ts";
import type { Clock } from "../lib/clock.ts";
import { answerRefusal, answerVerdict } from "./answer.ts";
import { bearerKey } from "./bearer.ts";
import { readBody, SenderGoneError } from "./body.ts";
import { requireJson } from "./media-type.ts";
import type { AnswerObserver } from "./ports.ts";
import { takeDelivery, type TakeDeliveryDeps } from "./take-delivery.ts";

export interface WebhookRouteDeps extends TakeDeliveryDeps {
  clock: Clock;
  randomBytes: (size: number) => Uint8Array;
  observer: AnswerObserver;
}

/** From the last byte of a request to its answer, in milliseconds; below the 3 s that are promised. */
const answerWithinMs = 2_600;
const idBytes = 16;

/** Where a request stands, for its answer and the record of it. */
interface Visit {
  deliveryId: string;
  receivedAt: Date;
  startMs: number;
  bytes: number;
}

/**
 * `POST /webhooks/automation/<namespace>.<name>`: checks in the order method, media type, size, key present; then what
 * {@link takeDelivery} does. The id is not looked at before a key is there, so that nobody without one can tell ids
 * apart. `idText` is the last segment of the path, undecoded: a well-formed id needs no escapes.
 */
export function webhookRoute(deps: WebhookRouteDeps) {
  return async (request: IncomingMessage, response: ServerResponse, idText: string): Promise<void> => {
    const visit: Visit = {
      deliveryId: base32(deps.randomBytes(idBytes)),
      receivedAt: deps.clock.now(),
      startMs: deps.clock.monotonicMs(),
      bytes: 0,
    };
    response.setHeader("Runwright-Delivery-Id", visit.deliveryId);
    const automationId = parseAutomationId(idText);
    const record = (status: number, outcome: string, refusal?: Refusal): void =>
      deps.observer.answered({
        deliveryId: visit.deliveryId,
        method: request.method ?? "",
        status,
        outcome,
        cause: refusal?.why,
        automation: automationId && idText,
        bytes: visit.bytes,
        durationMs: deps.clock.monotonicMs() - visit.startMs,
        error: status >= 500 ? refusal?.cause : undefined,
      });
    try {
      const verdict = await take(deps, request, { visit, automationId });
      answerVerdict(response, verdict);
      record(200, verdict);
    } catch (error) {
      if (error instanceof SenderGoneError) {
        record(0, "SenderGone");
        return;
      }
      const refusal = error instanceof Refusal ? error : unavailable("bug", error);
      record(answerRefusal(request, response, refusal), refusal.code, refusal);
    }
  };
}

async function take(
  deps: WebhookRouteDeps,
  request: IncomingMessage,
  { visit, automationId }: { visit: Visit; automationId: ReturnType<typeof parseAutomationId> },
): Promise<Verdict> {
  if (request.method !== "POST") {
    throw new Refusal({ code: "MethodNotAllowed", message: "Deliveries are sent with POST" });
  }
  requireJson(request.headers);
  const body = await readBody(request);
  visit.bytes = body.length;
  const key = bearerKey(request.headers.authorization);
  const { deliveryId, receivedAt } = visit;
  const deadlineMs = deps.clock.monotonicMs() + answerWithinMs;
  return takeDelivery(deps, { deliveryId, automationId, key, body, receivedAt, deadlineMs });
}
