import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../kube/controller.ts";
import { done, type Outcome, requeueAfter } from "../../kube/outcome.ts";
import type { ObjectKey } from "../../lib/resource.ts";
import type { KindInformers } from "../kind-informers.ts";
import { makeController } from "../make-controller.ts";
import { decideOrphans } from "./decide.ts";
import { performEffect } from "./effects.ts";
import { observePlace, type OrphanObserverDeps, placesOf } from "./observe.ts";

export interface OrphanControllerDeps extends ControllerDeps, OrphanObserverDeps {
  client: KubeClient;
  informers: Pick<KindInformers, "automations" | "sessions">;
  release: { keysNamespace: string; sessionsNamespace: string };
}

/**
 * Deletes Secrets of the private namespaces whose owner no longer exists: when an owner is deleted, at start and every 10
 * minutes. Leases are deleted with their Secret.
 */
export function orphanController(deps: OrphanControllerDeps): Controller {
  const { clock, informers, release } = deps;
  const places = placesOf(informers, release);
  const controller = makeController(deps, { name: "orphan", concurrency: 1 }, (client) => ({
    async reconcile({ name }: ObjectKey, signal: AbortSignal): Promise<Outcome> {
      const place = places.find(({ namespace }) => namespace === name);
      if (!place) return done;
      const now = clock.now();
      const facts = await observePlace({ ...deps, client }, place, now, signal);
      const { effects, requeueMs } = decideOrphans(facts, now);
      for (const effect of effects) await performEffect(client, effect, signal);
      return requeueAfter(requeueMs);
    },
  }));
  const whenDeleted = (namespace: string) => ({
    keysOf: () => [{ name: namespace }],
    when: ({ type }: { type: string }) => type === "deleted",
  });
  controller.watch(informers.automations, whenDeleted(release.keysNamespace));
  controller.watch(informers.sessions, whenDeleted(release.sessionsNamespace));
  for (const { namespace } of places) controller.enqueue({ name: namespace });
  return controller;
}
