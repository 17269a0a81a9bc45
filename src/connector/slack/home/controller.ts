import type { IntegrationEvent } from "../../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../../kube/controller.ts";
import { makeController } from "../../../kube/make-controller.ts";
import { keyOf, type ObjectKey } from "../../../lib/resource.ts";
import { eventsOfIntegration } from "../../events/of-integration.ts";
import { inLanes, Lanes } from "../../lanes.ts";
import { isHomeOpened } from "../rules.ts";
import { HomeReconciler, type HomeReconcilerDeps } from "./reconciler.ts";

/** People of one Integration who are shown theirs at a time. */
const mostOfOne = 4;

/** Shows the Home tab to people who open it; its keys are IntegrationEvents, which it deletes. */
export function homeController(deps: ControllerDeps & HomeReconcilerDeps & { client: KubeClient }): Controller {
  const { informers } = deps;
  const options = { name: "app-home", concurrency: 16 };
  const controller = makeController(deps, options, (client) =>
    inLanes(
      new HomeReconciler({ ...deps, client }),
      new Lanes({ ofOne: mostOfOne }),
      (key) => informers.events.get(key)?.spec.integrationRef.uid,
    ),
  );
  const ofEvent = (event: IntegrationEvent): ObjectKey[] => (isHomeOpened(event) ? [keyOf(event)] : []);
  controller.watch(informers.events, { keysOf: ofEvent });
  controller.watch(informers.integrations, eventsOfIntegration(informers, ofEvent));
  controller.watch(informers.conversations, { keysOf: () => [] });
  controller.watch(informers.sessions, { keysOf: () => [] });
  controller.watch(informers.prompts, { keysOf: () => [] });
  controller.watch(informers.repositories, { keysOf: () => [] });
  controller.watch(informers.environments, { keysOf: () => [] });
  return controller;
}
