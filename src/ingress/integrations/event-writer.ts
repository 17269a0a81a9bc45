import { Integration, IntegrationEvent } from "../../api/v1alpha1/index.ts";
import type { Accepted } from "../../domain/deliveries/receipt.ts";
import { eventName } from "../../domain/integrations/names.ts";
import type { KubeClient } from "../../kube/client.ts";
import { isAlreadyExists, isRefused, isUnanswered, isUnsent } from "../../kube/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { keyOf, ownerReferenceTo } from "../../lib/resource.ts";
import { createFailure } from "../cluster/create-failure.ts";
import { FairLimiter } from "../cluster/fair-limiter.ts";
import type { KeptEvent } from "./protocol.ts";

export interface EventWriterDeps {
  client: Pick<KubeClient, "create" | "exists">;
  clock: Clock;
}

/** A verified event. */
export interface ReceivedEvent {
  /** The provider's id of the delivery, the same when it is repeated. */
  deliveryId: string;
  receivedAt: Date;
  kept: KeptEvent;
  /** Monotonic milliseconds by which there must be an answer. */
  deadlineMs: number;
}

const createLimits = { working: 8, workingInLane: 8, waiting: 192, waitingInLane: 64 };
/** Timeout of one attempt in milliseconds, which leaves time for another within the deadline. */
const attemptMs = 1_200;

/** Stores events as IntegrationEvents. The create is the only lock: all replicas derive the same name from a delivery. */
export class EventWriter {
  readonly #deps: EventWriterDeps;
  readonly #creates: FairLimiter;

  constructor(deps: EventWriterDeps) {
    this.#deps = deps;
    this.#creates = new FairLimiter(deps.clock, createLimits);
  }

  /** `triggered` for a new event, `skipped` for one that is stored already. Rejects with a Refusal in every other case. */
  async store(integration: Integration, received: ReceivedEvent): Promise<Accepted> {
    const event = makeEvent(integration, received);
    const { namespace = "", uid = "" } = integration.metadata;
    const isNew = await this.#creates.run({ namespace, uid }, received.deadlineMs, () =>
      this.#create(event, received.deadlineMs),
    );
    return isNew
      ? { verdict: "triggered", message: "The event was stored" }
      : { verdict: "skipped", message: "An earlier delivery brought this event" };
  }

  /** Whether it was new. An attempt without an answer is repeated once while there is time. */
  async #create(event: IntegrationEvent, deadlineMs: number): Promise<boolean> {
    const { client, clock } = this.#deps;
    for (let maybeOurs = false, isRepeat = false; ; isRepeat = true) {
      try {
        await client.create(IntegrationEvent, event, { timeoutMs: this.#timeoutMs(deadlineMs) });
        return true;
      } catch (error) {
        // After an attempt whose answer was lost, the existing one may be the one that it created.
        if (await this.#isThere(event, error, deadlineMs)) return maybeOurs;
        maybeOurs ||= isUnanswered(error);
        const mayRepeat = (isUnanswered(error) || isUnsent(error)) && clock.monotonicMs() < deadlineMs;
        if (isRepeat || !mayRepeat) throw createFailure(error);
      }
    }
  }

  /** Whether the event whose create failed so is stored, as far as the API server says in time. */
  async #isThere(event: IntegrationEvent, error: unknown, deadlineMs: number): Promise<boolean> {
    if (!isRefused(error)) return isAlreadyExists(error);
    try {
      const timeoutMs = this.#timeoutMs(deadlineMs);
      return await this.#deps.client.exists(IntegrationEvent, keyOf(event), { timeoutMs });
    } catch {
      return false;
    }
  }

  #timeoutMs(deadlineMs: number): number {
    return Math.max(1, Math.min(attemptMs, deadlineMs - this.#deps.clock.monotonicMs()));
  }
}

function makeEvent(
  integration: Integration,
  { deliveryId: deliveryID, receivedAt, kept }: ReceivedEvent,
): IntegrationEvent {
  const { name = "", namespace, uid = "" } = integration.metadata;
  const owner = { name, uid };
  return {
    metadata: {
      name: kept.github?.occurrence ? eventName(owner, deliveryID, "automations") : eventName(owner, deliveryID),
      namespace,
      ownerReferences: [ownerReferenceTo(Integration, integration)],
    },
    spec: { integrationRef: { name, uid }, deliveryID, receivedTime: receivedAt.toISOString(), ...kept },
  };
}
