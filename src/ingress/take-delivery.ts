import {
  idempotencyKeyOf,
  parsePayload,
  Refusal,
  type AutomationId,
  type Verdict,
  type WebhookAutomation,
} from "../domain/deliveries/index.ts";
import { keyMatches } from "../domain/keys.ts";
import type { AutomationReader, RunWriter } from "./ports.ts";
import type { RateLimits } from "./rate-limits.ts";

/** A request whose form is right, with its body read whole. */
export interface DeliveryRequest {
  deliveryId: string;
  /** Undefined where the URL has no well-formed id. */
  automationId: AutomationId | undefined;
  key: string;
  body: Uint8Array;
  receivedAt: Date;
  /** Monotonic milliseconds by which there must be an answer. */
  deadlineMs: number;
}

export interface TakeDeliveryDeps {
  automations: Pick<AutomationReader, "read">;
  runs: RunWriter;
  rateLimits: RateLimits;
}

/**
 * Judges a delivery in the documented order: does the automation exist, is the key its own, has it tokens left, is the
 * body JSON; then paused, filters, and only for what is left, one create. Rejects with a Refusal.
 */
export async function takeDelivery(deps: TakeDeliveryDeps, request: DeliveryRequest): Promise<Verdict> {
  const automation = await findAutomation(deps, request.automationId);
  if (!keyMatches(request.key, automation.keyHash)) {
    throw new Refusal({ code: "WrongKey", message: "Invalid API key" });
  }
  deps.rateLimits.take(automation);
  const { text, value } = parsePayload(request.body);
  if (automation.paused) return "paused";
  if (!automation.matches(value)) return "unmatched";
  const { deliveryId: id, receivedAt, deadlineMs } = request;
  const idempotencyKey = idempotencyKeyOf(value);
  return deps.runs.create(automation, { id, receivedAt, payload: text, idempotencyKey, deadlineMs });
}

async function findAutomation(deps: TakeDeliveryDeps, id: AutomationId | undefined): Promise<WebhookAutomation> {
  const automation = id && (await deps.automations.read(id));
  if (automation) return automation;
  throw new Refusal({ code: "NotFound", message: "There is no webhook automation of this id" });
}
