import type { KubeClient } from "../../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../../kube/controller.ts";
import { makeController } from "../../../kube/make-controller.ts";
import { keyOf } from "../../../lib/resource.ts";
import { isHomeOpened } from "../rules.ts";
import { HomeReconciler, type HomeReconcilerDeps } from "./reconciler.ts";

/** Shows the Home tab to people who open it; its keys are IntegrationEvents, which it deletes. */
export function homeController(deps: ControllerDeps & HomeReconcilerDeps & { client: KubeClient }): Controller {
  const { informers } = deps;
  const controller = makeController(deps, { name: "app-home" }, (client) => new HomeReconciler({ ...deps, client }));
  controller.watch(informers.events, { keysOf: (event) => (isHomeOpened(event) ? [keyOf(event)] : []) });
  controller.watch(informers.integrations, { keysOf: () => [] });
  controller.watch(informers.conversations, { keysOf: () => [] });
  controller.watch(informers.sessions, { keysOf: () => [] });
  controller.watch(informers.prompts, { keysOf: () => [] });
  controller.watch(informers.repositories, { keysOf: () => [] });
  controller.watch(informers.environments, { keysOf: () => [] });
  return controller;
}
