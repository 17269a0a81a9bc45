import { Environment, Repository, SandboxClass } from "../../api/v1alpha1/index.ts";
import type { OperatorSettings } from "../../domain/settings/execution-timeout.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../kube/controller.ts";
import { type Secret, secrets } from "../../kube/core-resources.ts";
import type { EventRecorder } from "../../kube/event-recorder.ts";
import type { Informer } from "../../kube/informer.ts";
import { keyOf, type ObjectKey, type Resource } from "../../lib/resource.ts";
import { secretRefsOf } from "../sandbox/bundle/bundle-repository.ts";
import type { GitHubConfig } from "../sandbox/bundle/github-app.ts";
import type { KindInformers } from "../kind-informers.ts";
import { makeController } from "../make-controller.ts";
import { inheritedSettings } from "./inherited-settings.ts";
import { judgeEnvironment, judgeRepository } from "./judge.ts";
import { type Judged, type Readiness, ReadinessReconciler, usable } from "./readiness.ts";

export interface ScopeControllersDeps extends ControllerDeps {
  client: KubeClient;
  informers: Pick<KindInformers, "repositories" | "environments" | "sandboxClasses">;
  events: Pick<EventRecorder, "record">;
  operator: Pick<OperatorSettings, "settings">;
  github: GitHubConfig;
}

/** The controllers of the kinds that sessions refer to. The caller starts informers and controllers. */
export function scopeControllers(deps: ScopeControllersDeps): Controller[] {
  return [repositoryController(deps), environmentController(deps), sandboxClassController(deps)];
}

async function findNamed(
  client: KubeClient,
  namespace: string | undefined,
  ref: { name: string } | undefined,
  signal: AbortSignal,
): Promise<Secret | undefined> {
  return ref && client.find(secrets, { namespace, name: ref.name }, { signal });
}

function repositoryController(deps: ScopeControllersDeps): Controller {
  const { client, operator, github } = deps;
  const { repositories, sandboxClasses } = deps.informers;
  const controller = readinessController(deps, "repository", {
    resource: Repository,
    informer: repositories,
    async judge(repository, signal) {
      const { namespace } = repository.metadata;
      const refs = secretRefsOf(repository);
      const [credential, ca, appKey, scope] = await Promise.all(
        [refs.credential, refs.ca, refs.appKey, repository.spec.secretRef].map((ref) =>
          findNamed(client, namespace, ref, signal),
        ),
      );
      const inherited = inheritedSettings(operator.settings, sandboxClasses.list(), repository);
      return { ...judgeRepository(repository, { credential, ca, appKey, scope }, github), ...inherited };
    },
  });
  controller.watch(sandboxClasses, {
    when: ({ type, object, old }) => type !== "updated" || object.metadata.generation !== old.metadata.generation,
    keysOf: () => repositories.list().map(keyOf),
  });
  return controller;
}

function environmentController(deps: ScopeControllersDeps): Controller {
  const { repositories, environments } = deps.informers;
  const controller = readinessController(deps, "environment", {
    resource: Environment,
    informer: environments,
    async judge(environment, signal) {
      const { namespace } = environment.metadata;
      const isThere = (name: string): boolean => repositories.get({ namespace, name }) !== undefined;
      const scope = await findNamed(deps.client, namespace, environment.spec.secretRef, signal);
      return judgeEnvironment(environment, isThere, { scope });
    },
  });
  controller.watch(repositories, {
    when: ({ type }) => type !== "updated",
    keysOf: ({ metadata }) =>
      environments
        .list(metadata.namespace)
        .filter(({ spec }) => spec.repositoryRefs.some(({ name }) => name === metadata.name))
        .map(keyOf),
  });
  return controller;
}

function sandboxClassController(deps: ScopeControllersDeps): Controller {
  return readinessController(deps, "sandboxclass", {
    resource: SandboxClass,
    informer: deps.informers.sandboxClasses,
    judge: () => Promise.resolve(usable),
  });
}

interface Kind<T extends Judged> {
  resource: Resource<T>;
  informer: Informer<T>;
  judge: (object: T, signal: AbortSignal) => Promise<Readiness>;
}

function readinessController<T extends Judged>(deps: ScopeControllersDeps, name: string, kind: Kind<T>): Controller {
  const { resource, informer, judge } = kind;
  const find = (key: ObjectKey): T | undefined => informer.get(key);
  const controller = makeController(deps, { name, concurrency: 2 }, (client) => {
    return new ReadinessReconciler({ ...deps, client, resource, find, judge });
  });
  controller.watch(informer, {
    keysOf: (object) => [keyOf(object)],
    when: ({ type, object, old }) => type === "added" || object.metadata.generation !== old.metadata.generation,
  });
  return controller;
}
