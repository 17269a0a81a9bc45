import type { Change } from "../../kube/cache.ts";
import { Controller, type ControllerDeps } from "../../kube/controller.ts";
import { done, type Outcome } from "../../kube/outcome.ts";
import type { KubeObject, ObjectKey } from "../../lib/resource.ts";
import type { KindInformers } from "../kind-informers.ts";
import { isSpecChange } from "../predicates.ts";
import type { ClusterNetwork } from "../sandbox/network/cluster-network.ts";
import type { TenantNamespaces } from "../sandbox/tenant/tenant-namespaces.ts";
import { decideNamespace } from "./decide.ts";
import { performEffect } from "./effects.ts";
import type { NamespaceInformers } from "./informers.ts";
import { observeNamespace } from "./observe.ts";

export interface NamespaceControllerDeps extends ControllerDeps {
  informers: NamespaceInformers &
    Pick<KindInformers, "sessions" | "prebuiltImages" | "sandboxPools" | "sandboxClasses">;
  /** Shared with the controllers of sandboxes, which prepare a namespace before each start. */
  namespaces: TenantNamespaces;
  network: Pick<ClusterNetwork, "onChange">;
}

/**
 * Restores policies and the sandbox account of namespaces with live sessions, builds or pools when one is changed or deleted, and when a
 * class or the cluster's own addresses change. The caller starts informers and controller.
 */
export function namespaceController(deps: NamespaceControllerDeps): Controller {
  const { informers, namespaces } = deps;
  const reconciler = {
    async reconcile({ name }: ObjectKey): Promise<Outcome> {
      const effects = decideNamespace(observeNamespace(informers, name));
      // What was found in order before may have changed.
      namespaces.forget(name);
      for (const effect of effects) await performEffect(namespaces, name, effect);
      return done;
    },
  };
  const controller = new Controller(deps, { name: "namespace", concurrency: 2, reconciler });
  // A new object is as it was made.
  const kept = { keysOf: namespaceOf, when: ({ type }: Change<KubeObject>) => type !== "added" };
  controller.watch(informers.policies, kept);
  controller.watch(informers.accounts, kept);
  controller.watch(informers.roles, kept);
  controller.watch(informers.roleBindings, kept);
  const owners = [informers.sessions, informers.prebuiltImages, informers.sandboxPools];
  const keysOf = (): ObjectKey[] => owners.flatMap((one) => one.list().flatMap(namespaceOf));
  controller.watch(informers.sandboxClasses, { keysOf, when: isSpecChange });
  deps.network.onChange(() => {
    for (const key of keysOf()) controller.enqueue(key);
  });
  // The namespace of a new sandbox is prepared before its start, but the caches must be filled.
  const silent = { keysOf: () => [] };
  controller.watch(informers.sessions, silent);
  controller.watch(informers.prebuiltImages, silent);
  controller.watch(informers.sandboxPools, silent);
  return controller;
}

function namespaceOf({ metadata }: KubeObject): ObjectKey[] {
  return metadata.namespace === undefined ? [] : [{ name: metadata.namespace }];
}
