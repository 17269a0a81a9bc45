import { type Integration, IntegrationEvent } from "../../api/v1alpha1/index.ts";
import { stableUuid } from "../../domain/integrations/names.ts";
import type { KubeClient } from "../../kube/client.ts";
import { type KubeLog, silentLog } from "../../kube/ports.ts";
import type { Clock } from "../../lib/clock.ts";
import { sleep } from "../../lib/sleep.ts";
import { isUnsettled } from "../conversations/facts.ts";
import type { ConnectorInformers } from "../informers.ts";
import { accessDenied, mayAsk } from "../linear/access.ts";
import { type ActivityCall, showActivity } from "../linear/activities.ts";
import type { LinearApi } from "../linear/linear-api.ts";
import { ProviderError } from "../provider-error.ts";
import { linearOf } from "../linear/rules.ts";
import type { ConnectorMetrics } from "../metrics/connector-metrics.ts";
import { keyOf } from "../../lib/resource.ts";

export interface FirstThoughtsDeps {
  informers: Pick<ConnectorInformers, "events" | "integrations">;
  linear: Pick<LinearApi, "call">;
  client: Pick<KubeClient, "find">;
  clock: Clock;
  isLeading: () => boolean;
  metrics: Pick<ConnectorMetrics, "acknowledged">;
  log?: KubeLog | undefined;
}

/** Milliseconds for which a replica that does not lead leaves an event to the leader. */
const patienceMs = 3_000;
/** Milliseconds between tries; later ones would say nothing new. */
const pausesMs = [500, 1_000, 2_000, 4_000];
/** Milliseconds after which an event is not acknowledged any more: the session's answer says more. */
const longestAgeMs = 60_000;

/** Milliseconds after which Linear shows an agent that has said nothing as unresponsive. */
const usefulMs = 10_000;

/** What a person sees at once. */
const thoughts = { Created: "Looking into it.", Prompted: "Working on it." } as const;

/**
 * Acknowledges events of Linear's within the 10 seconds after which Linear shows an agent as unresponsive, or refuses them. Any
 * replica may: the activity's id follows from the event, so there is one, however many replicas send it and however often.
 */
export class FirstThoughts {
  readonly #deps: FirstThoughtsDeps;
  /** Events that were seen, by UID, and whether their acknowledgement is still to be sent, or is on the way. */
  readonly #begun = new Map<string, "pending" | "sending" | "done">();
  readonly #stop = new AbortController();

  constructor(deps: FirstThoughtsDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#deps.informers.events.onChange(({ type, object }) => {
      const { uid = "" } = object.metadata;
      if (type === "deleted") this.#begun.delete(uid);
      else if (object.spec.linear && isUnsettled(object) && !this.#begun.has(uid)) {
        this.#begun.set(uid, "pending");
        void this.#acknowledge(object)
          .catch((err: unknown) => {
            (this.#deps.log ?? silentLog).warn({ ...keyOf(object), err }, "Event was not acknowledged");
          })
          .finally(() => this.#note(uid, "done"));
      }
    });
  }

  /**
   * Whether an event should stay unsettled, so that another replica acknowledges it where this one ends now; for as long as an
   * acknowledgement is of use. One on the way is waited for: behind a question or an answer it would show the agent at work.
   */
  isPending({ metadata, spec }: IntegrationEvent): boolean {
    const state = this.#begun.get(metadata.uid ?? "");
    const ageMs = this.#deps.clock.now().getTime() - Date.parse(spec.receivedTime);
    return state === "sending" || (state === "pending" && ageMs < usefulMs);
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Nothing is kept of an event that is deleted. */
  #note(uid: string, state: "pending" | "sending" | "done"): void {
    if (this.#begun.has(uid)) this.#begun.set(uid, state);
  }

  async #acknowledge(event: IntegrationEvent): Promise<void> {
    const { clock, isLeading } = this.#deps;
    if (!isLeading()) await sleep(clock, patienceMs, this.#stop.signal);
    for (let tries = 0; await this.#isWanted(event); tries += 1) {
      const askedMs = await this.#try(event, tries === pausesMs.length);
      if (askedMs === undefined) return;
      await sleep(clock, Math.max(pausesMs[tries] ?? 0, askedMs), this.#stop.signal);
    }
  }

  /** Milliseconds after which Linear wants to be asked again; undefined where nothing is left to do. */
  async #try(event: IntegrationEvent, isLast: boolean): Promise<number | undefined> {
    const { uid = "" } = event.metadata;
    try {
      this.#note(uid, "sending");
      const isDone = await this.#send(event).finally(() => this.#note(uid, "pending"));
      return isDone || isLast ? undefined : 0;
    } catch (error) {
      if (isLast || !(error instanceof ProviderError) || error.failure === "refused") throw error;
      return error.retryAfterMs ?? 0;
    }
  }

  /** Another replica may have handled it meanwhile. */
  async #isWanted(event: IntegrationEvent): Promise<boolean> {
    const { clock, informers } = this.#deps;
    const isOld = clock.now().getTime() - Date.parse(event.spec.receivedTime) >= longestAgeMs;
    const cached = informers.events.get(keyOf(event));
    if (this.#stop.signal.aborted || isOld || !isSame(cached, event)) return false;
    return isSame(await this.#latest(cached), event);
  }

  /** The leader knows what it wrote; other replicas read it, as their caches may be behind, and believe those where it cannot be read. */
  async #latest(cached: IntegrationEvent): Promise<IntegrationEvent | undefined> {
    const { isLeading, client } = this.#deps;
    return isLeading() ? cached : client.find(IntegrationEvent, keyOf(cached)).catch(() => cached);
  }

  /** False where the Integration is not known yet. */
  async #send(event: IntegrationEvent): Promise<boolean> {
    const { informers, linear, clock, metrics } = this.#deps;
    const { metadata, spec } = event;
    const { action } = linearOf(event);
    const integration = informers.integrations.get({ namespace: metadata.namespace, name: spec.integrationRef.name });
    if (!integration) return false;
    const isOther = integration.metadata.uid !== spec.integrationRef.uid;
    if (isOther || (action !== "Created" && action !== "Prompted")) return true;
    const activity = this.#activityOf(integration, event, thoughts[action]);
    if (!activity) return true;
    await showActivity(linear, integration, activity);
    metrics.acknowledged(Math.max(0, clock.now().getTime() - Date.parse(spec.receivedTime)));
    return true;
  }

  /** A thought, or for a person who may not ask the refusal, with the id that the leader's has: the leader shows it itself, as soon as it decides. */
  #activityOf(integration: Integration, event: IntegrationEvent, thought: string): ActivityCall | undefined {
    const { uid = "" } = event.metadata;
    const { agentSessionID: agentSessionId } = linearOf(event);
    if (mayAsk(integration.spec, linearOf(event))) {
      return { id: stableUuid("Thought", uid), agentSessionId, type: "thought", body: thought };
    }
    if (this.#deps.isLeading()) return undefined;
    return { id: stableUuid("Refusal", uid), agentSessionId, type: "error", body: accessDenied };
  }
}

/** Whether an event is still the same, and not handled. */
function isSame(found: IntegrationEvent | undefined, event: IntegrationEvent): found is IntegrationEvent {
  return found !== undefined && found.metadata.uid === event.metadata.uid && isUnsettled(found);
}
