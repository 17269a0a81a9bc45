import type { IntegrationEvent } from "../../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../../kube/controller.ts";
import { makeController } from "../../../kube/make-controller.ts";
import { keyText, type ObjectKey } from "../../../lib/resource.ts";
import { isUnsettled } from "../../conversations/facts.ts";
import { indexNames } from "../../informers.ts";
import { inLanes, Lanes } from "../../lanes.ts";
import { isPullRequestAsked } from "../rules.ts";
import { buttonKeyOf } from "./facts.ts";
import { type PressDeps, PressReconciler } from "./reconciler.ts";
import { eventsOfIntegration } from "../../events/of-integration.ts";

/** Conversations of one Integration whose presses are handled at a time. */
const mostOfOne = 4;

/** Has pull requests opened for people who press the button of an answer; its keys are Conversations. */
export function pullRequestButtonController(deps: ControllerDeps & PressDeps & { client: KubeClient }): Controller {
  const { informers } = deps;
  const options = { name: "pull-request-button", concurrency: 16 };
  const controller = makeController(deps, options, (client) =>
    inLanes(new PressReconciler({ ...deps, client }), new Lanes({ ofOne: mostOfOne }), (key) => {
      const [press] = informers.events.byIndex(indexNames.button, keyText(key));
      return press?.spec.integrationRef.uid;
    }),
  );
  const ofEvent = (event: IntegrationEvent): ObjectKey[] =>
    isPullRequestAsked(event) && isUnsettled(event) ? [buttonKeyOf(event)] : [];
  controller.watch(informers.events, { keysOf: ofEvent });
  controller.watch(informers.integrations, eventsOfIntegration(informers, ofEvent));
  controller.watch(informers.pullRequests, { keysOf: () => [] });
  controller.watch(informers.repositories, { keysOf: () => [] });
  controller.watch(informers.environments, { keysOf: () => [] });
  return controller;
}
