import type { KubeClient } from "../../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../../kube/controller.ts";
import { isTooManyRequests, KubeError } from "../../../kube/errors.ts";
import { type Outcome, requeueAfter } from "../../../kube/outcome.ts";
import { makeController } from "../../../kube/make-controller.ts";
import { isDeleted } from "../../predicates.ts";
import type { Release } from "../../sandbox/labels.ts";
import type { TenantNamespaces } from "../../sandbox/tenant/tenant-namespaces.ts";
import { decideLeftover, everyMs } from "./decide.ts";
import { performEffect } from "./effects.ts";
import { cachedLeftovers, type CollectorInformers, observeLeftover } from "./observe.ts";

export interface TenantCollectorDeps extends ControllerDeps {
  client: KubeClient;
  informers: CollectorInformers;
  namespaces: Pick<TenantNamespaces, "forget">;
  release: Release;
}

/** The one key: all namespaces are looked at together. */
const everything = { name: "everything" };

/**
 * Deletes what this release made in tenant namespaces and nothing needs any more: all of it after the last Session,
 * PrebuiltImage and SandboxPool of a namespace, and policies of deleted classes. It looks when one of these or a class is deleted, at start and every 10 minutes.
 */
export function tenantCollector(deps: TenantCollectorDeps): Controller {
  const { clock, informers, namespaces } = deps;
  const controller = makeController(deps, { name: "tenant", concurrency: 1 }, (client) => ({
    async reconcile(_key, signal): Promise<Outcome> {
      const refusals: KubeError[] = [];
      // One after the other, so that what was observed is not old when it is acted on.
      for (const leftover of cachedLeftovers(informers, clock.now())) {
        try {
          const facts = await observeLeftover({ ...deps, client }, leftover, signal);
          for (const effect of decideLeftover(facts)) await performEffect({ client, namespaces }, effect, signal);
        } catch (error) {
          if (!isOfOne(error)) throw error;
          refusals.push(error);
        }
      }
      if (refusals[0]) throw refusals[0];
      return requeueAfter(everyMs);
    },
  }));
  const whenDeleted = { keysOf: () => [everything], when: isDeleted };
  controller.watch(informers.sessions, whenDeleted);
  controller.watch(informers.prebuiltImages, whenDeleted);
  controller.watch(informers.sandboxPools, whenDeleted);
  controller.watch(informers.sandboxClasses, whenDeleted);
  // Their events bring no look, but the caches must be filled.
  const silent = { keysOf: () => [] };
  controller.watch(informers.policies, silent);
  controller.watch(informers.accounts, silent);
  controller.watch(informers.roles, silent);
  controller.watch(informers.roleBindings, silent);
  controller.enqueue(everything);
  return controller;
}

/** What the API server, or whom it asks, says of one leftover, as a policy of its namespace does, keeps nothing of other namespaces. */
function isOfOne(error: unknown): error is KubeError {
  return error instanceof KubeError && error.delivery === "received" && !isTooManyRequests(error);
}
