import {
  Automation,
  type Integration,
  labels,
  reasons,
  type Run,
  type Target,
  triggeringIntegrationName,
} from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps, Reconciler } from "../../kube/controller.ts";
import { isTransient } from "../../kube/errors.ts";
import type { EventRecorder } from "../../kube/event-recorder.ts";
import { referenceTo } from "../../kube/object-reference.ts";
import { done, type Outcome, requeueAfter } from "../../kube/outcome.ts";
import { keyOf, type KubeObject, type ObjectKey } from "../../lib/resource.ts";
import type { ArchiveGuard } from "../archive-guard.ts";
import type { IntegrationInformers, KindInformers } from "../kind-informers.ts";
import { makeController } from "../../kube/make-controller.ts";
import { type AutomationRelease, decideAutomation } from "./decide.ts";
import { type AutomationEffectsDeps, performAll } from "./effects.ts";
import { retryingStatus } from "./lifecycle.ts";
import { AutomationObserver, type AutomationObserverDeps } from "./observe.ts";
import { isSpecChange } from "../predicates.ts";
import { isIntegrationChange, isWantedChange, isVerdict } from "./predicates.ts";

export interface AutomationControllerDeps extends ControllerDeps, AutomationRelease {
  client: KubeClient;
  informers: KindInformers & IntegrationInformers;
  /** Absent where the release has no archive. */
  archive?: Pick<ArchiveGuard, "hasAll"> | undefined;
  events: Pick<EventRecorder, "record">;
}

/** The controller of Automations. The caller starts informers and controller. */
export function automationController(deps: AutomationControllerDeps): Controller {
  const { informers } = deps;
  const controller = makeController(deps, { name: "automation" }, (client) => {
    return new AutomationReconciler({ ...deps, client });
  });
  controller.watch(informers.automations, { keysOf: (automation) => [keyOf(automation)], when: isWantedChange });
  controller.watch(informers.runs, { keysOf: automationOf, when: isVerdict });
  // What history looks at by time; the caches must be filled.
  controller.watch(informers.sessions, { keysOf: () => [] });
  controller.watch(informers.prompts, { keysOf: () => [] });
  // Targets name Secrets.
  controller.watch(informers.repositories, {
    keysOf: (repository) => keysOfTarget(informers, repository, ({ repositoryRef }) => repositoryRef),
    when: isSpecChange,
  });
  controller.watch(informers.environments, {
    keysOf: (environment) => keysOfTarget(informers, environment, ({ environmentRef }) => environmentRef),
    when: isSpecChange,
  });
  controller.watch(informers.integrations, {
    keysOf: (integration) => keysOfIntegration(informers, integration),
    when: isIntegrationChange,
  });
  return controller;
}

/** The automation that a Run refers to, whether or not it exists. */
function automationOf({ metadata, spec }: Run): ObjectKey[] {
  return metadata.labels?.[labels.automationUid] === undefined
    ? []
    : [{ namespace: metadata.namespace, name: spec.automationRef.name }];
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

function keysOfIntegration({ automations }: KindInformers, { metadata }: Integration): ObjectKey[] {
  return automations
    .list(metadata.namespace)
    .filter(({ spec }) => triggeringIntegrationName(spec.trigger) === metadata.name)
    .map(keyOf);
}

interface AutomationReconcilerDeps extends AutomationObserverDeps, AutomationEffectsDeps, AutomationRelease {
  client: AutomationObserverDeps["client"] & AutomationEffectsDeps["client"];
}

class AutomationReconciler implements Reconciler {
  readonly #deps: AutomationReconcilerDeps;
  readonly #observer: AutomationObserver;

  constructor(deps: AutomationReconcilerDeps) {
    this.#deps = deps;
    this.#observer = new AutomationObserver(deps);
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { clock } = this.#deps;
    const [now, startMs] = [clock.now(), clock.monotonicMs()];
    const facts = await this.#observer.observe(key, now, signal);
    if (!facts) return done;
    const { automation } = facts;
    const decision = decideAutomation(facts, now, this.#deps);
    this.#observer.decided(automation, decision);
    await performAll(this.#deps, automation, decision.effects, signal);
    const rereadMs = await this.#observer.readAhead(automation, decision, signal);
    // The next slot does not wait for how long this pass took.
    const passedMs = clock.monotonicMs() - startMs;
    const requeueMs = Math.max(0, (decision.requeueMs ?? Infinity) - passedMs);
    const nextMs = Math.min(requeueMs, rereadMs, decision.gatheringMs ?? Infinity);
    return nextMs === Infinity ? done : requeueAfter(nextMs);
  }

  async failed(key: ObjectKey, error: unknown): Promise<void> {
    const automation = this.#deps.informers.automations.get(key);
    // A failure that passes by itself within moments is only logged.
    if (!automation || automation.metadata.deletionTimestamp !== undefined || isTransient(error)) return;
    const note = error instanceof Error ? error.message : String(error);
    const status = retryingStatus(automation, note, this.#deps.clock.now());
    const stored = await this.#deps.client.patchStatus(Automation, automation, status);
    const facts = { type: "Warning", reason: reasons.progressingWithRetry, note } as const;
    this.#deps.events.record({ ...facts, regarding: referenceTo(Automation, stored) });
  }
}
