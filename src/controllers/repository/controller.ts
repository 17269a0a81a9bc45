import { Environment, Repository, SandboxClass, Skill } from "../../api/v1alpha1/index.ts";
import type { OperatorSettings } from "../../domain/settings/execution-timeout.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../kube/controller.ts";
import type { EventRecorder } from "../../kube/event-recorder.ts";
import type { Change } from "../../kube/cache.ts";
import type { Informer } from "../../kube/informer.ts";
import { done, type Outcome, requeueAfter } from "../../kube/outcome.ts";
import { keyOf, type Resource } from "../../lib/resource.ts";
import type { IntegrationInformers, KindInformers } from "../kind-informers.ts";
import { makeController } from "../../kube/make-controller.ts";
import { isSpecChange } from "../predicates.ts";
import type { GitHubConfig } from "../sandbox/bundle/github-app.ts";
import type { ClusterNetwork } from "../sandbox/network/cluster-network.ts";
import {
  decideEnvironment,
  decideRepository,
  decideSandboxClass,
  decideSkill,
  type ReadinessDecision,
} from "./decide.ts";
import { performEffect } from "./effects.ts";
import type { Referable } from "./facts.ts";
import { observeEnvironment, observeRepository, observeSkill } from "./observe.ts";

export interface ScopeControllersDeps extends ControllerDeps {
  client: KubeClient;
  informers: Pick<KindInformers, "repositories" | "environments" | "sandboxClasses" | "skills"> & IntegrationInformers;
  events: Pick<EventRecorder, "record">;
  operator: Pick<OperatorSettings, "settings">;
  github: GitHubConfig;
  network: Pick<ClusterNetwork, "known" | "onChange">;
}

/** The controllers of the kinds that sessions refer to. The caller starts informers and controllers. */
export function scopeControllers(deps: ScopeControllersDeps): Controller[] {
  return [repositoryController(deps), environmentController(deps), sandboxClassController(deps), skillController(deps)];
}

function repositoryController(deps: ScopeControllersDeps): Controller {
  const { repositories, sandboxClasses, skills, integrations } = deps.informers;
  const settings = { operator: deps.operator.settings, github: deps.github };
  const controller = readinessController(deps, "repository", {
    resource: Repository,
    informer: repositories,
    observe: (repository, signal) => observeRepository(deps, repository, signal),
    decide: (facts, now) => decideRepository(facts, now, settings),
  });
  controller.watch(sandboxClasses, { when: isSpecChange, keysOf: () => repositories.list().map(keyOf) });
  controller.watch(skills, {
    when: countsOtherwise,
    keysOf: ({ metadata }) => repositories.list(metadata.namespace).map(keyOf),
  });
  controller.watch(integrations, {
    when: isSpecChange,
    keysOf: ({ metadata }) =>
      repositories
        .list(metadata.namespace)
        .filter(({ spec }) => spec.autofix)
        .map(keyOf),
  });
  return controller;
}

function environmentController(deps: ScopeControllersDeps): Controller {
  const { repositories, environments, skills } = deps.informers;
  const controller = readinessController(deps, "environment", {
    resource: Environment,
    informer: environments,
    observe: (environment, signal) => observeEnvironment(deps, environment, signal),
    decide: decideEnvironment,
  });
  controller.watch(repositories, {
    when: ({ type }) => type !== "updated",
    keysOf: ({ metadata }) =>
      environments
        .list(metadata.namespace)
        .filter(({ spec }) => spec.repositoryRefs.some(({ name }) => name === metadata.name))
        .map(keyOf),
  });
  controller.watch(skills, {
    when: countsOtherwise,
    keysOf: ({ metadata }) => environments.list(metadata.namespace).map(keyOf),
  });
  return controller;
}

function sandboxClassController(deps: ScopeControllersDeps): Controller {
  const { sandboxClasses } = deps.informers;
  const controller = readinessController(deps, "sandboxclass", {
    resource: SandboxClass,
    informer: sandboxClasses,
    observe: (object) => Promise.resolve({ object, networkProblem: deps.network.known.problem }),
    decide: decideSandboxClass,
  });
  deps.network.onChange(() => {
    for (const object of sandboxClasses.list()) controller.enqueue(keyOf(object));
  });
  return controller;
}

function skillController(deps: ScopeControllersDeps): Controller {
  return readinessController(deps, "skill", {
    resource: Skill,
    informer: deps.informers.skills,
    observe: (cached, signal) => observeSkill(deps, cached, signal),
    decide: decideSkill,
  });
}

/** A Skill came, went, or counts otherwise in what sessions get. */
function countsOtherwise(change: Change<Skill>): boolean {
  return isSpecChange(change) || change.object.status?.bytes !== change.old?.status?.bytes;
}

interface Kind<T extends Referable, Facts> {
  resource: Resource<T>;
  informer: Informer<T>;
  /** Undefined: the object is gone. */
  observe: (object: T, signal: AbortSignal) => Promise<Facts | undefined>;
  decide: (facts: Facts, now: Date) => ReadinessDecision<T>;
}

function readinessController<T extends Referable, Facts>(
  deps: ScopeControllersDeps,
  name: string,
  { resource, informer, observe, decide }: Kind<T, Facts>,
): Controller {
  const { clock, events } = deps;
  const controller = makeController(deps, { name, concurrency: 2 }, (client) => ({
    async reconcile(key, signal): Promise<Outcome> {
      const object = informer.get(key);
      if (!object || object.metadata.deletionTimestamp !== undefined) return done;
      const facts = await observe(object, signal);
      if (facts === undefined) return done;
      const { effects, requeueMs } = decide(facts, clock.now());
      for (const effect of effects) await performEffect({ client, events }, resource, effect, signal);
      return requeueMs === undefined ? done : requeueAfter(requeueMs);
    },
  }));
  controller.watch(informer, {
    keysOf: (object) => [keyOf(object)],
    when: ({ type, object, old }) => type === "added" || object.metadata.generation !== old.metadata.generation,
  });
  return controller;
}
