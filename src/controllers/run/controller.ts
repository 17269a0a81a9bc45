import { conditionTypes, Run, type Prompt, type Session } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import { firstPromptName } from "../first-prompt-name.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../kube/controller.ts";
import type { Change } from "../../kube/cache.ts";
import type { EventRecorder } from "../../kube/event-recorder.ts";
import { keyOf, keyText, type ObjectKey } from "../../lib/resource.ts";
import type { RunMetrics } from "../metrics/run-metrics.ts";
import { indexNames, type KindInformers } from "../kind-informers.ts";
import type { Tracing } from "../../telemetry/tracing.ts";
import { makeController } from "../make-controller.ts";
import { automationKey } from "./observe.ts";
import { RunReconciler } from "./reconciler.ts";
import { RunTraces } from "./run-traces.ts";
import type { OperatorSettings } from "../../domain/settings/execution-timeout.ts";

export interface RunControllerDeps extends ControllerDeps {
  client: KubeClient;
  informers: KindInformers;
  events: Pick<EventRecorder, "record">;
  operator: OperatorSettings;
  runMetrics?: RunMetrics | undefined;
  tracing?: Tracing | undefined;
}

/**
 * The controller of Runs: a queue item for each Run, those of one Automation one after the other, so that two of them
 * are never judged at once. The caller starts informers and controller.
 */
export function runController(deps: RunControllerDeps): Controller {
  const { informers } = deps;
  const groupOf = (key: ObjectKey): string => {
    const run = informers.runs.get(key);
    return run ? `automation ${keyText(automationKey(run))}` : `run ${keyText(key)}`;
  };
  const controller = makeController(deps, { name: "run", groupOf, concurrency: 8 }, (client) => {
    const { clock, tracing } = deps;
    return new RunReconciler({ ...deps, client, traces: tracing && new RunTraces({ client, clock, tracing }) });
  });
  watchAll(controller, informers);
  return controller;
}

function watchAll(controller: Controller, informers: KindInformers): void {
  controller.watch(informers.runs, { keysOf: (run) => [keyOf(run)], when: ({ type }) => type !== "deleted" });
  controller.watch(informers.sessions, { keysOf: runOfSession, when: isSessionGoing });
  controller.watch(informers.prompts, {
    keysOf: (prompt) => runOfPrompt(informers, prompt),
    when: isPromptNews,
  });
  controller.watch(informers.automations, {
    keysOf: ({ metadata }) => informers.runs.byIndex(indexNames.automationUid, metadata.uid ?? "").map(keyOf),
    when: ({ type }) => type === "deleted",
  });
  // Plans read these; their changes concern later Runs only.
  controller.watch(informers.repositories, { keysOf: () => [] });
  controller.watch(informers.environments, { keysOf: () => [] });
}

function runOfSession({ metadata }: Session): ObjectKey[] {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === Run.kind);
  return owner ? [{ namespace: metadata.namespace, name: owner.name }] : [];
}

function runOfPrompt(informers: KindInformers, { metadata, spec }: Prompt): ObjectKey[] {
  const { name } = spec.sessionRef;
  if (metadata.name !== firstPromptName(name)) return [];
  const session = informers.sessions.get({ namespace: metadata.namespace, name });
  return session ? runOfSession(session) : [];
}

function isSessionGoing({ type, object, old }: Change<Session>): boolean {
  if (type !== "updated") return type === "deleted";
  return object.metadata.deletionTimestamp !== undefined && old.metadata.deletionTimestamp === undefined;
}

function isPromptNews({ type, object, old }: Change<Prompt>): boolean {
  if (type !== "updated") return type === "deleted";
  const cameLate = object.status?.lateResult !== undefined && old.status?.lateResult === undefined;
  return cameLate || verdictOf(object) !== verdictOf(old);
}

function verdictOf({ status }: Prompt): string | undefined {
  return findCondition(status?.conditions, conditionTypes.succeeded)?.status;
}
