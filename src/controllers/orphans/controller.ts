import { Automation, labels, Session } from "../../api/v1alpha1/index.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { Controller, ControllerDeps } from "../../kube/controller.ts";
import { listIn } from "../../kube/list-in.ts";
import { isConflict, isNotFound } from "../../kube/errors.ts";
import { secrets } from "../../kube/core-resources.ts";
import { type Outcome, requeueAfter } from "../../kube/outcome.ts";
import { keyOf, type KubeObject, type ObjectKey, type Resource } from "../../lib/resource.ts";
import type { KindInformers } from "../kind-informers.ts";
import { makeController } from "../make-controller.ts";
import { findOrphans } from "./plan.ts";

export interface OrphanControllerDeps extends ControllerDeps {
  client: KubeClient;
  informers: Pick<KindInformers, "automations" | "sessions">;
  release: { keysNamespace: string; sessionsNamespace: string };
  /** Namespaces whose owners may be looked for; none = all of the cluster. */
  watchNamespaces?: readonly string[] | undefined;
}

/** One private namespace, and whose UIDs its Secrets carry. */
interface Place {
  namespace: string;
  owner: Resource<KubeObject>;
  ownerLabel: string;
  /** Label that says where the owner is. */
  namespaceLabel: string;
  cachedUids: () => (string | undefined)[];
}

const everyMs = 600_000;

/**
 * Deletes Secrets of the private namespaces whose owner is gone, when one goes, at start and every 10 minutes. The
 * cache only names candidates; an owner is gone when a list that bypasses every cache does not show it. Leases go with
 * their Secret. Of an owner outside of the watched namespaces nobody here can know, so its Secrets stay.
 */
export function orphanController(deps: OrphanControllerDeps): Controller {
  const places = new Map(placesOf(deps).map((place) => [place.namespace, place]));
  const controller = makeController(deps, { name: "orphan", concurrency: 1 }, (client) => ({
    async reconcile({ name }: ObjectKey, signal: AbortSignal): Promise<Outcome> {
      const place = places.get(name);
      if (place) await collect({ ...deps, client }, place, signal);
      return requeueAfter(everyMs);
    },
  }));
  const whenDeleted = (namespace: string) => ({
    keysOf: () => [{ name: namespace }],
    when: ({ type }: { type: string }) => type === "deleted",
  });
  controller.watch(deps.informers.automations, whenDeleted(deps.release.keysNamespace));
  controller.watch(deps.informers.sessions, whenDeleted(deps.release.sessionsNamespace));
  for (const namespace of places.keys()) controller.enqueue({ name: namespace });
  return controller;
}

function placesOf({ informers, release }: OrphanControllerDeps): Place[] {
  const uidsIn = (items: readonly KubeObject[]) => items.map(({ metadata }) => metadata.uid);
  return [
    {
      namespace: release.keysNamespace,
      owner: Automation,
      ownerLabel: labels.automationUid,
      namespaceLabel: labels.automationNamespace,
      cachedUids: () => uidsIn(informers.automations.list()),
    },
    {
      namespace: release.sessionsNamespace,
      owner: Session,
      ownerLabel: labels.sessionUid,
      namespaceLabel: labels.sessionNamespace,
      cachedUids: () => uidsIn(informers.sessions.list()),
    },
  ];
}

async function collect(
  { client, clock, watchNamespaces = [] }: Pick<OrphanControllerDeps, "client" | "clock" | "watchNamespaces">,
  place: Place,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, owner, ownerLabel, namespaceLabel, cachedUids } = place;
  const isWatched = watchNamespaces.length === 0 ? "" : `,${namespaceLabel} in (${watchNamespaces.join(",")})`;
  const labelSelector = `${ownerLabel}${isWatched}`;
  const { items } = await client.list(secrets, { namespace, labelSelector, metadataOnly: true, signal });
  const found = (uids: (string | undefined)[]) => {
    const ownerUids = new Set(uids.filter((uid) => uid !== undefined));
    return findOrphans(items, { ownerLabel, ownerUids, now: clock.now() });
  };
  if (found(cachedUids()).length === 0) return;
  const owners = await listIn(client, owner, watchNamespaces, { metadataOnly: true, signal });
  for (const orphan of found(owners.map(({ metadata }) => metadata.uid))) {
    const { uid, resourceVersion } = orphan.metadata;
    await client.delete(secrets, keyOf(orphan), { uid, resourceVersion, signal }).catch(ignoreChanged);
  }
}

/** Gone already, or changed since: the next pass judges it anew. */
function ignoreChanged(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}
