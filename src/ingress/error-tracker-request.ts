import type { ErrorTrackerAutomation, ErrorTrackerEndpoint } from "../domain/deliveries/delivery.ts";
import { longestEventBytes, wantedEvent } from "../domain/deliveries/error-event.ts";
import { parsePayload } from "../domain/deliveries/payload.ts";
import type { Accepted } from "../domain/deliveries/receipt.ts";
import { Refusal, unavailable } from "../domain/deliveries/refusal.ts";
import { digestsIn, isSigned } from "./signature.ts";
import { formatTraceparent } from "../domain/tracing/trace-context.ts";
import type { NamespacedName } from "../lib/namespaced-name.ts";
import { answerWithinMs, type AcceptDeliveryDeps, takeRequest } from "./accept-delivery.ts";
import { readBody, skipBody } from "./body.ts";
import type { HandledRequest, ReceivedRequest } from "./delivery-log/note-request.ts";
import type { AcceptRequest, DeliveryProtocol } from "./delivery-route.ts";

const scheme = { algorithm: "sha256", encoding: "hex" } as const;

/**
 * Checks a delivery of an error tracker in the documented order: the Automation exists, has a signing secret, a signature
 * was sent, size, the signature is right; then as for webhooks, with the event's type, project and level as filters.
 */
const accept: AcceptRequest = async (deps, request, received) => {
  const endpoint = await findEndpoint(deps, received.automationId);
  if (endpoint.signingSecrets.length === 0) throw noSecret();
  const signature = request.headers["sentry-hook-signature"];
  if (typeof signature !== "string" || signature === "") {
    throw new Refusal({ code: "MissingKey", message: "Missing signature; send it as Sentry-Hook-Signature" });
  }
  if (digestsIn([signature], scheme).length === 0) {
    received.bytes = await skipBody(request, { longestBytes: longestEventBytes });
    throw wrongSignature();
  }
  return deps.bodies.lend(async (room) => {
    const body = await readBody(request, { longestBytes: longestEventBytes, room });
    return judge(deps, received, { endpoint, signature, body });
  });
};

async function judge(
  deps: Parameters<AcceptRequest>[0],
  received: ReceivedRequest,
  { endpoint, signature, body }: { endpoint: ErrorTrackerEndpoint; signature: string; body: Buffer },
): Promise<HandledRequest> {
  received.bytes = body.length;
  const deadlineMs = deps.clock.monotonicMs() + answerWithinMs;
  if (!isSigned({ scheme, signatures: [signature], parts: [body] }, endpoint.signingSecrets)) {
    throw wrongSignature();
  }
  const { automation } = endpoint;
  if (automation instanceof Refusal) return { automation: endpoint, outcome: automation };
  try {
    takeRequest(deps.requests, automation);
    const { text, value } = parsePayload(body);
    return { automation, payload: text, outcome: await decide(deps, received, { automation, value, deadlineMs }) };
  } catch (error) {
    return { automation, outcome: error instanceof Refusal ? error : unavailable("bug", error) };
  }
}

/** HTTP has no registered scheme for signatures; the challenge names the algorithm and the header. */
export const errorTrackerProtocol: DeliveryProtocol = {
  accept,
  challenge: 'HMAC-SHA256 header="Sentry-Hook-Signature"',
};

async function decide(
  { runs }: Pick<AcceptDeliveryDeps, "runs">,
  { deliveryId: id, receivedAt, trace }: ReceivedRequest,
  { automation, value, deadlineMs }: { automation: ErrorTrackerAutomation; value: unknown; deadlineMs: number },
): Promise<Accepted> {
  const { pausedBecause, conditions } = automation;
  if (pausedBecause !== undefined) return { verdict: "paused", message: pausedBecause };
  const event = wantedEvent(value, conditions);
  if (typeof event === "string") return { verdict: "unmatched", message: event };
  const traceparent = trace && formatTraceparent(trace.context);
  const { triggerKey: idempotencyKey, shown } = event;
  const delivery = { id, receivedAt, payload: JSON.stringify(shown), idempotencyKey, deadlineMs, traceparent };
  return runs.create(automation, delivery);
}

async function findEndpoint(
  deps: Pick<AcceptDeliveryDeps, "automations">,
  id: NamespacedName | undefined,
): Promise<ErrorTrackerEndpoint> {
  const endpoint = id && (await deps.automations.read(id));
  if (endpoint?.type === "ErrorTracker") return endpoint;
  throw new Refusal({ code: "NotFound", message: "There is no error tracker automation of this id" });
}

function wrongSignature(): Refusal {
  return new Refusal({ code: "WrongKey", message: "The signature is not that of this body" });
}

/** A retry only succeeds after a person set the secret, so it is asked for at a longer interval. */
function noSecret(): Refusal {
  const message = "The automation has no signing secret yet: kubectl runwright key set";
  return new Refusal({ code: "Unavailable", message, cause: "no-signing-secret", retryAfterSeconds: 60 });
}
