import { Integration, IntegrationEvent, reasonMeanings, reasons, type Target } from "../../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { Reconciler } from "../../../kube/controller.ts";
import type { EventRecorder } from "../../../kube/event-recorder.ts";
import { referenceTo } from "../../../kube/object-reference.ts";
import { done, type Outcome, requeueAfter } from "../../../kube/outcome.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { ObjectKey } from "../../../lib/resource.ts";
import { readIntegration } from "../../conversations/observe.ts";
import { targetExists } from "../../conversations/target-exists.ts";
import type { ConnectorInformers } from "../../informers.ts";
import { ProviderError } from "../../provider-error.ts";
import { readAgainMs } from "../../read-again.ts";
import { deleteUnchanged } from "../../../kube/delete-unchanged.ts";
import { isHomeOpened, slackOf } from "../rules.ts";
import { latestRequests } from "./latest-requests.ts";
import { homeView } from "./view.ts";
import { whereAsked, type WhereAskedDeps } from "./where-asked.ts";

export interface HomeReconcilerDeps extends WhereAskedDeps {
  client: Pick<KubeClient, "delete">;
  clock: Pick<Clock, "now" | "monotonicMs">;
  events: Pick<EventRecorder, "record">;
  informers: Pick<
    ConnectorInformers,
    "integrations" | "events" | "conversations" | "sessions" | "prompts" | "repositories" | "environments"
  >;
  /** Where people have the web page; undefined where there is none. */
  pageUrl: string | undefined;
}

/** Milliseconds for which Slack is left alone where it does not say how long. */
const usualThrottleMs = 60_000;
/** Slack's code for a view that was replaced since the person opened the tab. */
const replaced = "hash_conflict";

/** Publishes the view of a person who opened the Home tab, and deletes the event. */
export class HomeReconciler implements Reconciler {
  readonly #deps: HomeReconcilerDeps;
  /** Monotonic milliseconds until which Slack wants no more calls of an Integration, by its UID. */
  readonly #throttled = new Map<string, number>();

  constructor(deps: HomeReconcilerDeps) {
    this.#deps = deps;
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { client, informers } = this.#deps;
    const event = informers.events.get(key);
    if (!event || !isHomeOpened(event) || event.metadata.deletionTimestamp !== undefined) return done;
    const integration = readIntegration(informers, event);
    // The cache may not have it yet; with an Integration that is gone its events go.
    if (!integration) return done;
    const waitMs = await this.#show(integration, event);
    if (waitMs !== undefined) return requeueAfter(waitMs);
    await deleteUnchanged(client, IntegrationEvent, event, signal);
    return done;
  }

  /** Milliseconds after which it is tried again; undefined where nothing is left to do. */
  async #show(integration: Integration, event: IntegrationEvent): Promise<number | undefined> {
    const leftMs = this.#throttledMs(integration);
    if (leftMs !== undefined) return leftMs;
    try {
      await this.#publish(integration, event);
      return undefined;
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      this.#note(integration, error);
      return readAgainMs(event, error, this.#deps.clock.now());
    }
  }

  async #publish(integration: Integration, event: IntegrationEvent): Promise<void> {
    const { slack, informers, pageUrl } = this.#deps;
    const { actor, viewHash: hash } = slackOf(event);
    const { slack: settings } = integration.spec;
    if (!actor || !settings) return;
    const where = await whereAsked(this.#deps, integration, actor.id);
    const { namespace } = integration.metadata;
    const made = {
      conversations: informers.conversations.list(namespace),
      session: (name: string) => informers.sessions.get({ namespace, name }),
      prompt: (name: string) => informers.prompts.get({ namespace, name }),
    };
    const requests = latestRequests(made, integration, actor.id);
    const exists = (target: Target): boolean => targetExists(informers, integration, target);
    const view = homeView({ where, settings, exists, requests, pageUrl });
    await slack.call(integration, "views.publish", (web) =>
      // An empty hash is one that no view has.
      web.views.publish({ user_id: actor.id, view, ...(hash !== undefined && { hash }) }),
    );
  }

  /** Milliseconds for which Slack wants no more calls of an Integration; undefined where it takes them. */
  #throttledMs({ metadata: { uid = "" } }: Integration): number | undefined {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const [one, untilMs] of this.#throttled) if (nowMs >= untilMs) this.#throttled.delete(one);
    const untilMs = this.#throttled.get(uid);
    return untilMs === undefined ? undefined : untilMs - nowMs;
  }

  #note(integration: Integration, { failure, retryAfterMs = usualThrottleMs, code, message }: ProviderError): void {
    const { clock, events } = this.#deps;
    if (failure === "throttled") {
      this.#throttled.set(integration.metadata.uid ?? "", clock.monotonicMs() + retryAfterMs);
    }
    if (failure !== "refused" || code === replaced) return;
    events.record({
      regarding: referenceTo(Integration, integration),
      type: "Warning",
      reason: reasons.homeViewRefused,
      note: `${message}. ${reasonMeanings.HomeViewRefused.remedy}`,
    });
  }
}
