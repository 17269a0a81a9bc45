import type { IntegrationEvent } from "../../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../../kube/controller.ts";
import { makeController } from "../../../kube/make-controller.ts";
import { keyOf, type ObjectKey } from "../../../lib/resource.ts";
import type { ConnectorInformers } from "../../informers.ts";
import type { ConnectorMetrics } from "../../metrics/connector-metrics.ts";
import type { GitHubApi } from "../github-api.ts";
import { AutomationEvents, isWaiting } from "./events.ts";
import { Starts } from "../../automations/starts.ts";
import { eventsOfIntegration } from "../../events/of-integration.ts";

export interface AutomationEventDeps extends ControllerDeps {
  client: KubeClient;
  github: Pick<GitHubApi, "call">;
  informers: Pick<ConnectorInformers, "integrations" | "events" | "automations" | "repositories">;
  connectorMetrics: Pick<ConnectorMetrics, "eventSettled">;
}

/** Starts the Runs of Automations of type GitHub: one for each event that one of them wants. */
export function automationEventController(deps: AutomationEventDeps): Controller {
  const { informers, clock } = deps;
  const starts = new Starts(clock);
  const options = { name: "automation-event", concurrency: 16 };
  const controller = makeController(deps, options, (client) => ({
    reconcile: (key, signal) => new AutomationEvents({ ...deps, client, starts }, signal).reconcile(key),
  }));
  const ofEvent = (event: IntegrationEvent): ObjectKey[] => (isWaiting(event) ? [keyOf(event)] : []);
  controller.watch(informers.events, { keysOf: ofEvent });
  // A Run that has ended makes room for the events that have waited longest.
  controller.watch(informers.automations, { keysOf: (automation) => starts.next(automation) });
  controller.watch(informers.integrations, eventsOfIntegration(informers, ofEvent));
  controller.watch(informers.repositories, { keysOf: () => [] });
  informers.automations.onChange(({ type, object }) => {
    if (type === "deleted") starts.forget(object);
  });
  return controller;
}
