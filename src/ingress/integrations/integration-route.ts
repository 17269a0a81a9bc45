import type { IncomingMessage, ServerResponse } from "node:http";

import type { Integration } from "../../api/v1alpha1/index.ts";
import type { Accepted } from "../../domain/deliveries/receipt.ts";
import { Refusal, unavailable } from "../../domain/deliveries/refusal.ts";
import { base32 } from "../../lib/base32.ts";
import type { Clock } from "../../lib/clock.ts";
import { parseNamespacedName } from "../../lib/namespaced-name.ts";
import type { Random } from "../../lib/random.ts";
import { answerWithinMs } from "../accept-delivery.ts";
import { answer } from "../answer.ts";
import type { AnswerFacts } from "../answer-facts.ts";
import { SenderGoneError } from "../body.ts";
import type { BodyBudget } from "../../lib/body-budget.ts";
import type { RateLimits } from "../rate-limits.ts";
import type { ClusterAutomationReader } from "../cluster/automation-reader.ts";
import type { EventWriter, ReceivedEvent } from "./event-writer.ts";
import type { IntegrationEndpoint, IntegrationReader } from "./integration-reader.ts";
import type { IntegrationProtocol, KeptEvent } from "./protocol.ts";
import { readSignedBody } from "./signed-body.ts";
import { UnprovenBody } from "./unproven-body.ts";
import type { BytePace } from "../../lib/byte-pace.ts";

export interface IntegrationRouteDeps {
  integrations: Pick<IntegrationReader, "read">;
  events: Pick<EventWriter, "store">;
  automations: Pick<ClusterAutomationReader, "wantedEvents" | "wantedChannels">;
  bodies: BodyBudget;
  unproven: BytePace;
  requests: RateLimits;
  clock: Clock;
  random: Pick<Random, "bytes">;
  observer: { answered(facts: AnswerFacts): void };
}

const idBytes = 16;
/** Of one Integration in one replica; far above what people do. */
const eventLimits = { perSecond: 100, burst: 400 };

/**
 * `POST /integrations/<namespace>.<name>/<provider>`: the URL picks the secret before anything is parsed; answered with 200 only
 * once the event is stored. `idText` is undecoded: a well-formed id needs no escapes.
 */
export function integrationRoute(deps: IntegrationRouteDeps, protocol: IntegrationProtocol) {
  return async (request: IncomingMessage, response: ServerResponse, idText: string): Promise<void> => {
    const startMs = deps.clock.monotonicMs();
    const deliveryId = base32(deps.random.bytes(idBytes));
    response.setHeader("Runwright-Delivery-Id", deliveryId);
    const read = { bytes: 0 };
    const outcome = await acceptEvents(deps, request, { idText, read, protocol }).catch(refusalOf);
    const status = outcome
      ? answer({ request, response, clock: deps.clock, challenge: protocol.challenge }, outcome)
      : 0;
    deps.observer.answered({
      ...factsOf(outcome, status),
      status,
      deliveryId,
      method: request.method ?? "",
      automation: parseNamespacedName(idText) && idText,
      bytes: read.bytes,
      durationMs: deps.clock.monotonicMs() - startMs,
    });
  };
}

/**
 * Reads, verifies and stores what a request holds; `read` says how many bytes its body had.
 * @throws Refusal @throws SenderGoneError
 */
export async function acceptEvents(
  deps: IntegrationRouteDeps,
  request: IncomingMessage,
  { idText, read, protocol }: { idText: string; read: { bytes: number }; protocol: IntegrationProtocol },
): Promise<Accepted> {
  if (request.method !== "POST") {
    throw new Refusal({ code: "MethodNotAllowed", message: "Events are sent with POST" });
  }
  const { integration, signingSecrets: secrets } = await findEndpoint(deps, idText, protocol);
  if (secrets.length === 0) throw noSecret();
  const { namespace = "", uid = "" } = integration.metadata;
  const unproven = new UnprovenBody({ unproven: deps.unproven, key: uid, clock: deps.clock });
  const body = await unproven.prove(request, async () => {
    const signed = protocol.signatureOf(request.headers, deps.clock.now());
    const { longestBytes } = protocol;
    return readSignedBody(request, {
      budget: deps.bodies,
      sharer: namespace,
      unproven,
      longestBytes,
      secrets,
      ...signed,
    });
  });
  read.bytes = body.length;
  const deadlineMs = deps.clock.monotonicMs() + answerWithinMs;
  const receivedAt = deps.clock.now();
  const sent = {
    headers: request.headers,
    now: receivedAt,
    spec: integration.spec,
    wantedEvents: deps.automations.wantedEvents(integration.metadata),
    wantedChannels: deps.automations.wantedChannels(integration.metadata),
  };
  const { workspace, event, challenge } = protocol.read(body, sent);
  if (workspace === undefined && typeof event === "string") return { verdict: "unmatched", message: event, challenge };
  if (workspace !== protocol.workspaceOf(integration.spec)) throw wrongWorkspace();
  if (typeof event === "string") return { verdict: "unmatched", message: event };
  const deliveryId = event.deliveryId();
  if (integration.spec.suspend) return { verdict: "paused", message: "The integration is suspended" };
  takeEvent(deps.requests, uid);
  return storeAll(deps, integration, { deliveryId, receivedAt, deadlineMs }, event.kept);
}

async function findEndpoint(
  { integrations }: IntegrationRouteDeps,
  idText: string,
  { type }: IntegrationProtocol,
): Promise<IntegrationEndpoint> {
  const id = parseNamespacedName(idText);
  const endpoint = id && (await integrations.read(id));
  if (endpoint?.integration.spec.type === type) return endpoint;
  throw new Refusal({ code: "NotFound", message: `There is no integration with ${type} of this id` });
}

/** Stores all that is kept of a delivery; where an earlier try stored a part, the rest is new. */
async function storeAll(
  { events }: Pick<IntegrationRouteDeps, "events">,
  integration: Integration,
  received: Omit<ReceivedEvent, "kept">,
  kept: readonly KeptEvent[],
): Promise<Accepted> {
  const stored = await Promise.all(kept.map((one) => events.store(integration, { ...received, kept: one })));
  const isNew = stored.find(({ verdict }) => verdict === "triggered");
  return isNew ?? stored[0] ?? { verdict: "unmatched", message: "Nothing of the event is kept" };
}

function takeEvent(requests: RateLimits, uid: string): void {
  const retryAfterSeconds = requests.take(uid, eventLimits);
  if (retryAfterSeconds === 0) return;
  const message = `More than ${eventLimits.perSecond} events a second after a burst of ${eventLimits.burst}`;
  throw new Refusal({ code: "RateLimited", message, retryAfterSeconds });
}

/** A retry only succeeds after a person set the secret, so it is asked for at a longer interval. */
function noSecret(): Refusal {
  const message = "The integration has no signing secret yet; its condition Ready says why";
  return new Refusal({ code: "Unavailable", message, cause: "no-signing-secret", retryAfterSeconds: 60 });
}

function wrongWorkspace(): Refusal {
  return new Refusal({ code: "WrongWorkspace", message: "The event is of another workspace than the integration's" });
}

/** Undefined where the sender closed the connection before its request was complete. */
function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof SenderGoneError) return undefined;
  return error instanceof Refusal ? error : unavailable("bug", error);
}

function factsOf(
  outcome: Accepted | Refusal | undefined,
  status: number,
): Pick<AnswerFacts, "outcome" | "cause" | "error"> {
  if (!outcome) return { outcome: "SenderGone" };
  if (!(outcome instanceof Refusal)) return { outcome: outcome.verdict };
  return { outcome: outcome.code, cause: outcome.why, error: status >= 500 ? outcome.cause : undefined };
}
