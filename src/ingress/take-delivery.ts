import { idempotencyKeyOf, parsePayload, type Payload } from "../domain/deliveries/payload.ts";
import { notStarted } from "../domain/deliveries/not-started.ts";
import { Refusal, unavailable } from "../domain/deliveries/refusal.ts";
import type { NamespacedName } from "../lib/namespaced-name.ts";
import type { Taken } from "../domain/deliveries/receipt.ts";
import type { WebhookAutomation } from "../domain/deliveries/delivery.ts";
import { keyMatches } from "../domain/keys.ts";
import type { AutomationReader, RunWriter } from "./ports.ts";
import type { RateLimits } from "./rate-limits.ts";
import type { Decision } from "./delivery-log/remember.ts";

/** A request whose form is right, with its body read whole. */
export interface DeliveryRequest {
  deliveryId: string;
  /** Undefined where the URL has no well-formed id. */
  automationId: NamespacedName | undefined;
  key: string;
  body: Uint8Array;
  receivedAt: Date;
  /** Monotonic milliseconds by which there must be an answer. */
  deadlineMs: number;
  /** What the delivery's Run is part of, where somebody follows traces. */
  traceparent?: string | undefined;
}

export interface TakeDeliveryDeps {
  automations: Pick<AutomationReader, "read">;
  runs: RunWriter;
  rateLimits: RateLimits;
}

/**
 * Judges a delivery in the documented order: does the automation exist, is the key its own, has it tokens left, is the
 * body JSON; then paused, filters, and only for what is left, one create. Rejects with a Refusal where the key is not
 * the automation's; from then on every outcome is the automation's to know.
 */
export async function takeDelivery(deps: TakeDeliveryDeps, request: DeliveryRequest): Promise<Decision> {
  const automation = await findAutomation(deps, request.automationId);
  if (!keyMatches(request.key, automation.keyHash)) {
    throw new Refusal({ code: "WrongKey", message: "Invalid API key" });
  }
  try {
    deps.rateLimits.take(automation);
    const payload = parsePayload(request.body);
    return { automation, payload: payload.text, outcome: await decide(deps, request, { automation, payload }) };
  } catch (error) {
    return { automation, outcome: error instanceof Refusal ? error : unavailable("bug", error) };
  }
}

async function findAutomation(deps: TakeDeliveryDeps, id: NamespacedName | undefined): Promise<WebhookAutomation> {
  const automation = id && (await deps.automations.read(id));
  if (automation) return automation;
  throw new Refusal({ code: "NotFound", message: "There is no webhook automation of this id" });
}

async function decide(
  deps: TakeDeliveryDeps,
  { deliveryId: id, receivedAt, deadlineMs, traceparent }: DeliveryRequest,
  { automation, payload: { text: payload, value } }: { automation: WebhookAutomation; payload: Payload },
): Promise<Taken> {
  const idempotencyKey = idempotencyKeyOf(value);
  const delivery = { id, receivedAt, payload, idempotencyKey, deadlineMs, traceparent };
  return notStarted(automation, value) ?? deps.runs.create(automation, delivery);
}
