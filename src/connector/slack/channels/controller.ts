import type { IntegrationEvent } from "../../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { Controller, ControllerDeps, Reconciler } from "../../../kube/controller.ts";
import { makeController } from "../../../kube/make-controller.ts";
import { keyOf, keyText, type ObjectKey } from "../../../lib/resource.ts";
import { Starts } from "../../automations/starts.ts";
import { type ConnectorInformers, indexNames } from "../../informers.ts";
import { inLanes, Lanes } from "../../lanes.ts";
import type { ConnectorMetrics } from "../../metrics/connector-metrics.ts";
import { isSaid } from "../rules.ts";
import type { SlackApi } from "../slack-api.ts";
import type { UserGroups } from "../user-groups.ts";
import { ChannelMessages } from "./messages.ts";
import { threadKeyOf } from "./resources.ts";
import { eventsOfIntegration } from "../../events/of-integration.ts";

export interface ChannelControllerDeps extends ControllerDeps {
  client: KubeClient;
  slack: Pick<SlackApi, "call">;
  groups: Pick<UserGroups, "hasMember">;
  informers: Pick<ConnectorInformers, "integrations" | "events" | "automations" | "prompts">;
  connectorMetrics: Pick<ConnectorMetrics, "eventSettled">;
}

/** Threads of one Integration that are worked on at a time. */
const mostOfOne = 4;

/** Starts Runs of Automations of type Slack and steers their sessions; its keys are threads. */
export function channelController(deps: ChannelControllerDeps): Controller {
  const { informers, clock } = deps;
  const starts = new Starts(clock);
  const unnoted = new Set<string>();
  const options = { name: "channel-message", concurrency: 16 };
  const controller = makeController(deps, options, (client) => {
    const messages: Reconciler = {
      reconcile: (key, signal) => new ChannelMessages({ ...deps, client, starts, unnoted }, signal).reconcile(key),
    };
    return inLanes(messages, new Lanes({ ofOne: mostOfOne }), (thread) => {
      const [event] = informers.events.byIndex(indexNames.thread, keyText(thread));
      return event?.spec.integrationRef.uid;
    });
  });
  const ofEvent = (event: IntegrationEvent): ObjectKey[] => (isSaid(event) ? [threadKeyOf(event)] : []);
  controller.watch(informers.events, { keysOf: ofEvent });
  // A Run that has ended makes room for the messages that have waited longest.
  controller.watch(informers.automations, {
    keysOf: (automation) => starts.next(automation).flatMap((key) => threadsOf(informers, key)),
  });
  controller.watch(informers.integrations, eventsOfIntegration(informers, ofEvent));
  controller.watch(informers.prompts, { keysOf: () => [] });
  informers.automations.onChange(({ type, object }) => {
    if (type === "deleted") starts.forget(object);
  });
  informers.events.onChange(({ type, object }) => {
    if (type === "deleted" && isSaid(object)) starts.forgetEvent(keyOf(object));
  });
  return controller;
}

function threadsOf({ events }: Pick<ConnectorInformers, "events">, key: Parameters<typeof events.get>[0]) {
  const event = events.get(key);
  return event && isSaid(event) ? [threadKeyOf(event)] : [];
}
