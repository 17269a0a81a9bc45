import { parsePayload, type Payload } from "../domain/deliveries/payload.ts";
import { notStarted } from "../domain/deliveries/not-started.ts";
import { Refusal, unavailable } from "../domain/deliveries/refusal.ts";
import type { NamespacedName } from "../lib/namespaced-name.ts";
import type { Accepted } from "../domain/deliveries/receipt.ts";
import type { DeliveryAutomation, WebhookAutomation, WebhookEndpoint } from "../domain/deliveries/delivery.ts";
import type { ClusterAutomationReader } from "./cluster/automation-reader.ts";
import type { ClusterRunWriter } from "./cluster/run-writer.ts";
import { type ProvingRequest, requireProof } from "./credentials.ts";
import type { RateLimits } from "./rate-limits.ts";
import type { HandledRequest, ReceivedRequest } from "./delivery-log/note-request.ts";

/** A well-formed request with its whole body. */
export interface DeliveryRequest extends ProvingRequest, Pick<ReceivedRequest, "deliveryId" | "automationId"> {
  /** Monotonic milliseconds by which there must be an answer. */
  deadlineMs: number;
  /** Trace context for the delivery's Run; absent where traces are not wanted. */
  traceparent?: string | undefined;
}

/** Milliseconds from the last byte of a request to its answer; below the documented 3 s. */
export const answerWithinMs = 2_600;

export interface AcceptDeliveryDeps {
  automations: Pick<ClusterAutomationReader, "read">;
  runs: Pick<ClusterRunWriter, "create">;
  requests: RateLimits;
}

/**
 * Checks a delivery in the documented order: the automation exists, the sender has proved whose the request is, its settings can be read, the limit of
 * requests has a token, the body is JSON, the automation is not paused, the filters match; then creates the Run. Rejects
 * with a Refusal up to that proof; later refusals are outcomes for the automation's log.
 */
export async function acceptDelivery(deps: AcceptDeliveryDeps, request: DeliveryRequest): Promise<HandledRequest> {
  const endpoint = await findEndpoint(deps, request.automationId);
  requireProof(endpoint, request);
  const { automation } = endpoint;
  if (automation instanceof Refusal) return { automation: endpoint, outcome: automation };
  try {
    takeRequest(deps.requests, automation);
    const payload = parsePayload(request.body);
    return { automation, payload: payload.text, outcome: await decide(deps, request, { automation, payload }) };
  } catch (error) {
    return { automation, outcome: error instanceof Refusal ? error : unavailable("bug", error) };
  }
}

async function findEndpoint(deps: AcceptDeliveryDeps, id: NamespacedName | undefined): Promise<WebhookEndpoint> {
  const endpoint = id && (await deps.automations.read(id));
  if (endpoint?.type === "Webhook") return endpoint;
  throw new Refusal({ code: "NotFound", message: "There is no webhook automation of this id" });
}

/** @throws Refusal `RateLimited` */
export function takeRequest(requests: RateLimits, { uid, requestRateLimit }: DeliveryAutomation): void {
  const retryAfterSeconds = requests.take(uid, requestRateLimit);
  if (retryAfterSeconds === 0) return;
  const { perSecond, burst } = requestRateLimit;
  const message = `More than ${perSecond} requests a second after a burst of ${burst}`;
  throw new Refusal({ code: "RateLimited", message, retryAfterSeconds });
}

async function decide(
  deps: AcceptDeliveryDeps,
  { deliveryId: id, headers, receivedAt, deadlineMs, traceparent }: DeliveryRequest,
  { automation, payload: { text: payload, value } }: { automation: WebhookAutomation; payload: Payload },
): Promise<Accepted> {
  const idempotencyKey = automation.idempotencyKey({ value, headers });
  const delivery = { id, receivedAt, payload, idempotencyKey, deadlineMs, traceparent };
  return notStarted(automation, value) ?? deps.runs.create(automation, delivery);
}
