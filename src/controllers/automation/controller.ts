import { annotations, type Automation, type Run, type Target } from "../../api/v1alpha1/index.ts";
import { succeededOf } from "../../domain/runs/run-state.ts";
import type { Change } from "../../kube/cache.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../kube/controller.ts";
import type { EventRecorder } from "../../kube/event-recorder.ts";
import { keyOf, type KubeObject, type ObjectKey } from "../../lib/resource.ts";
import type { KindInformers } from "../kind-informers.ts";
import { makeController } from "../make-controller.ts";
import { AutomationReconciler, automationOf } from "./reconciler.ts";

export interface AutomationControllerDeps extends ControllerDeps {
  client: KubeClient;
  informers: KindInformers;
  events: Pick<EventRecorder, "record">;
  /** Where key hashes live. */
  keysNamespace: string;
}

/** The controller of Automations. The caller starts informers and controller. */
export function automationController(deps: AutomationControllerDeps): Controller {
  const { informers } = deps;
  const controller = makeController(deps, { name: "automation" }, (client) => {
    return new AutomationReconciler({ ...deps, client });
  });
  controller.watch(informers.automations, { keysOf: (automation) => [keyOf(automation)], when: isWish });
  controller.watch(informers.runs, { keysOf: automationOf, when: isJudgement });
  controller.watch(informers.sessions, { keysOf: () => [] });
  // Which Secrets the targets have.
  controller.watch(informers.repositories, {
    keysOf: (repository) => keysOfTarget(informers, repository, ({ repositoryRef }) => repositoryRef),
    when: isSpecChange,
  });
  controller.watch(informers.environments, {
    keysOf: (environment) => keysOfTarget(informers, environment, ({ environmentRef }) => environmentRef),
    when: isSpecChange,
  });
  return controller;
}

function keysOfTarget(
  { automations }: KindInformers,
  { metadata }: KubeObject,
  refOf: (target: Target) => { name: string } | undefined,
): ObjectKey[] {
  return automations
    .list(metadata.namespace)
    .filter(({ spec }) => spec.targets.some((target) => refOf(target)?.name === metadata.name))
    .map(keyOf);
}

function isSpecChange({ type, object, old }: Change<KubeObject>): boolean {
  return type !== "updated" || object.metadata.generation !== old.metadata.generation;
}

/** What people changed; what controllers write into the status is no news here. */
function isWish({ type, object, old }: Change<Automation>): boolean {
  if (type !== "updated") return true;
  const isRequested = resumeRequest(object) !== resumeRequest(old);
  return isRequested || object.metadata.generation !== old.metadata.generation;
}

function resumeRequest({ metadata }: Automation): string | undefined {
  return metadata.annotations?.[annotations.resumeRequestedAt];
}

/** A Run was started, skipped, ended or went away. */
function isJudgement({ type, object, old }: Change<Run>): boolean {
  if (type !== "updated") return succeededOf(object) !== undefined;
  return succeededOf(object)?.reason !== succeededOf(old)?.reason;
}
