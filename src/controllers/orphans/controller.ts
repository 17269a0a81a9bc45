import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../kube/controller.ts";
import { done, type Outcome, requeueAfter } from "../../kube/outcome.ts";
import { makeController } from "../../kube/make-controller.ts";
import { isDeleted } from "../predicates.ts";
import { decideOrphans } from "./decide.ts";
import { performEffect } from "./effects.ts";
import { GoneOwners } from "./gone-owners.ts";
import {
  observePlace,
  type OrphanObserverDeps,
  type OwnerInformers,
  placesOf,
  type PrivateNamespaces,
} from "./observe.ts";

export interface OrphanControllerDeps extends ControllerDeps, OrphanObserverDeps {
  client: KubeClient;
  informers: OwnerInformers;
  release: PrivateNamespaces;
}

/**
 * Deletes Secrets of the private namespaces whose owner no longer exists: when an owner is deleted, a minute after that, at
 * start and every 10 minutes. Leases are deleted with their Secret.
 */
export function orphanController(deps: OrphanControllerDeps): Controller {
  const { clock, informers, release } = deps;
  const places = placesOf(informers, release).map((place) => ({ ...place, gone: new GoneOwners(clock) }));
  const controller = makeController(deps, { name: "orphan", concurrency: 1 }, (client) => ({
    async reconcile({ name }, signal): Promise<Outcome> {
      const now = clock.now();
      const waits: number[] = [];
      for (const place of places.filter(({ namespace }) => namespace === name)) {
        const facts = await observePlace({ ...deps, client }, place, now, signal);
        const { effects, requeueMs } = decideOrphans(facts, now);
        for (const effect of effects) await performEffect(client, effect, signal);
        waits.push(requeueMs);
      }
      return waits.length === 0 ? done : requeueAfter(Math.min(...waits));
    },
  }));
  for (const { owners, gone } of places) owners.onChange((change) => gone.note(change));
  controller.watch(informers.automations, { keysOf: () => [{ name: release.keysNamespace }], when: isDeleted });
  const ofIntegrations = places.filter(({ owners }) => owners === informers.integrations);
  controller.watch(informers.integrations, {
    keysOf: () => ofIntegrations.map(({ namespace }) => ({ name: namespace })),
    when: isDeleted,
  });
  const ofSandboxes = { keysOf: () => [{ name: release.sessionsNamespace }], when: isDeleted };
  controller.watch(informers.sessions, ofSandboxes);
  controller.watch(informers.prebuiltImages, ofSandboxes);
  for (const { namespace } of places) controller.enqueue({ name: namespace });
  return controller;
}
