import { labels } from "../../api/v1alpha1/names.ts";
import { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import { Session } from "../../api/v1alpha1/session.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../kube/controller.ts";
import { pods } from "../../kube/core-resources.ts";
import { isConflict, isNotFound } from "../../kube/errors.ts";
import { type Outcome, requeueAfter } from "../../kube/outcome.ts";
import type { Informer } from "../../kube/informer.ts";
import { keyOf, type KubeObject } from "../../lib/resource.ts";
import { type Release, releaseLabel, sandboxComponent } from "../sandbox/labels.ts";
import type { TenantNamespaces } from "../sandbox/tenant/tenant-namespaces.ts";
import type { KindInformers } from "../kind-informers.ts";
import { makeController } from "../make-controller.ts";
import type { NamespaceInformers } from "./controller.ts";
import { findLeftovers, type Kept, type Leftover } from "./leftovers.ts";

export interface TenantCollectorDeps extends ControllerDeps {
  client: KubeClient;
  informers: NamespaceInformers & Pick<KindInformers, "sessions" | "sandboxClasses">;
  namespaces: Pick<TenantNamespaces, "forget">;
  release: Release;
}

const everyMs = 600_000;
const everything = { name: "everything" };

/**
 * Deletes what this release made in tenant namespaces and nothing needs any more: all of it where the last Session has
 * gone, policies of deleted classes otherwise. It looks when one of these goes, at start and every 10 minutes. Caches
 * only name candidates; a live look at Sessions, class and sandbox pods has the last word.
 */
export function tenantCollector(deps: TenantCollectorDeps): Controller {
  const { informers } = deps;
  const controller = makeController(deps, { name: "tenant", concurrency: 1 }, (client) => ({
    async reconcile(_key, signal): Promise<Outcome> {
      for (const one of leftoversIn(deps)) {
        if (!(await isNeeded({ ...deps, client }, one, signal))) await remove({ ...deps, client }, one, signal);
      }
      return requeueAfter(everyMs);
    },
  }));
  const whenDeleted = { keysOf: () => [everything], when: ({ type }: { type: string }) => type === "deleted" };
  controller.watch(informers.sessions, whenDeleted);
  controller.watch(informers.sandboxClasses, whenDeleted);
  // No events of their own, but the caches must be there.
  const silent = { keysOf: () => [] };
  controller.watch(informers.policies, silent);
  controller.watch(informers.accounts, silent);
  controller.watch(informers.roles, silent);
  controller.watch(informers.roleBindings, silent);
  controller.enqueue(everything);
  return controller;
}

function leftoversIn({ informers, clock }: TenantCollectorDeps): Leftover[] {
  const { policies, accounts, roles, roleBindings } = informers;
  const kept = [...keptIn(policies), ...keptIn(accounts), ...keptIn(roles), ...keptIn(roleBindings)];
  const needed = {
    sessionNamespaces: new Set(informers.sessions.list().map(({ metadata }) => metadata.namespace ?? "")),
    classNames: new Set(informers.sandboxClasses.list().map(({ metadata }) => metadata.name ?? "")),
  };
  return findLeftovers(kept, needed, clock.now());
}

function keptIn<T extends KubeObject>(informer: Informer<T>): Kept[] {
  return informer.list().map((object) => ({ resource: informer.resource, object }));
}

/** A sandbox that is still there keeps what it reaches the world by, whatever became of its Session or class. */
async function isNeeded(
  { client, release }: TenantCollectorDeps,
  { object, goneClass }: Leftover,
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace } = object.metadata;
  const ours = `${labels.component}=${sandboxComponent},${labels.release}=${releaseLabel(release)}`;
  const labelSelector = goneClass === undefined ? ours : `${ours},${labels.sandboxClass}=${goneClass}`;
  const sandboxes = await client.list(pods, { namespace, labelSelector, metadataOnly: true, signal });
  if (sandboxes.items.length > 0) return true;
  if (goneClass !== undefined) return (await client.find(SandboxClass, { name: goneClass }, { signal })) !== undefined;
  return (await client.list(Session, { namespace, metadataOnly: true, signal })).items.length > 0;
}

/** Forgotten first: a session that starts meanwhile then looks for itself. */
async function remove(
  { client, namespaces }: TenantCollectorDeps,
  { resource, object }: Leftover,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = "", uid, resourceVersion } = object.metadata;
  namespaces.forget(namespace);
  try {
    await client.delete(resource, keyOf(object), { uid, resourceVersion, signal });
  } catch (error) {
    // Gone already, or changed since: the next pass judges it anew.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
