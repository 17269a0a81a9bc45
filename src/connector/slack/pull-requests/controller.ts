import type { KubeClient } from "../../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../../kube/controller.ts";
import { makeController } from "../../../kube/make-controller.ts";
import { isUnsettled } from "../../conversations/facts.ts";
import { isPullRequestAsked } from "../rules.ts";
import { buttonKeyOf } from "./facts.ts";
import { type PressDeps, PressReconciler } from "./reconciler.ts";

/** Has pull requests opened for people who press the button of an answer; its keys are Conversations. */
export function pullRequestButtonController(deps: ControllerDeps & PressDeps & { client: KubeClient }): Controller {
  const { informers } = deps;
  const options = { name: "pull-request-button", concurrency: 4 };
  const controller = makeController(deps, options, (client) => new PressReconciler({ ...deps, client }));
  controller.watch(informers.events, {
    keysOf: (event) => (isPullRequestAsked(event) && isUnsettled(event) ? [buttonKeyOf(event)] : []),
  });
  controller.watch(informers.integrations, { keysOf: () => [] });
  controller.watch(informers.pullRequests, { keysOf: () => [] });
  controller.watch(informers.repositories, { keysOf: () => [] });
  controller.watch(informers.environments, { keysOf: () => [] });
  return controller;
}
