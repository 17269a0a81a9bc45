import { labels } from "../../api/v1alpha1/names.ts";
import type { KubeClient } from "../../kube/client.ts";
import { secrets } from "../../kube/core-resources.ts";
import type { Informer } from "../../kube/informer.ts";
import { listIn } from "../../kube/list-in.ts";
import type { KubeObject } from "../../lib/resource.ts";
import type { IntegrationInformers, KindInformers } from "../kind-informers.ts";
import { type OrphanFacts, orphansIn } from "./facts.ts";
import type { GoneOwners } from "./gone-owners.ts";

/** A private namespace, and the owners that its Secrets name. */
export interface Place {
  namespace: string;
  owners: Pick<Informer<KubeObject>, "resource" | "list" | "onChange">;
  /** Label of a Secret that holds its owner's UID. */
  ownerLabel: string;
  /** Label of a Secret that holds its owner's namespace. */
  namespaceLabel: string;
}

/** The private namespaces of a release; that of tokens is there only where it has a connector. */
export interface PrivateNamespaces {
  keysNamespace: string;
  sessionsNamespace: string;
  tokensNamespace?: string | undefined;
}

/** Caches of those who own what lies in the private namespaces. */
export type OwnerInformers = Pick<KindInformers, "automations" | "sessions" | "prebuiltImages"> & IntegrationInformers;

/** What the private namespaces of a release hold. */
export function placesOf(
  { automations, integrations, sessions, prebuiltImages }: OwnerInformers,
  { keysNamespace, sessionsNamespace, tokensNamespace }: PrivateNamespaces,
): Place[] {
  const ofIntegrations = {
    owners: integrations,
    ownerLabel: labels.integrationUid,
    namespaceLabel: labels.integrationNamespace,
  };
  return [
    { namespace: keysNamespace, ...ofIntegrations },
    ...(tokensNamespace === undefined ? [] : [{ namespace: tokensNamespace, ...ofIntegrations }]),
    {
      namespace: keysNamespace,
      owners: automations,
      ownerLabel: labels.automationUid,
      namespaceLabel: labels.automationNamespace,
    },
    {
      namespace: sessionsNamespace,
      owners: sessions,
      ownerLabel: labels.sessionUid,
      namespaceLabel: labels.sessionNamespace,
    },
    {
      namespace: sessionsNamespace,
      owners: prebuiltImages,
      ownerLabel: labels.ownerUid,
      namespaceLabel: labels.ownerNamespace,
    },
  ];
}

export interface OrphanObserverDeps {
  client: Pick<KubeClient, "list">;
  /** Namespaces whose owners can be read; none = all of the cluster. Secrets of other owners are left out. */
  watchNamespaces?: readonly string[] | undefined;
}

/** Lists a namespace's Secrets and, where the cache lacks an owner of one, the owners from the API server. */
export async function observePlace(
  { client, watchNamespaces = [] }: OrphanObserverDeps,
  { namespace, owners, ownerLabel, namespaceLabel, gone }: Place & { gone: Pick<GoneOwners, "uids"> },
  now: Date,
  signal: AbortSignal,
): Promise<OrphanFacts> {
  const isWatched = watchNamespaces.length === 0 ? "" : `,${namespaceLabel} in (${watchNamespaces.join(",")})`;
  const labelSelector = `${ownerLabel}${isWatched}`;
  const { items } = await client.list(secrets, { namespace, labelSelector, metadataOnly: true, signal });
  const facts = { secrets: items, ownerLabel, ownerUids: uidsOf(owners.list()), goneUids: gone.uids() };
  if (orphansIn(facts, now).length === 0) return facts;
  const live = await listIn(client, owners.resource, watchNamespaces, { metadataOnly: true, signal });
  return { ...facts, ownerUids: uidsOf(live) };
}

function uidsOf(objects: readonly KubeObject[]): ReadonlySet<string> {
  return new Set(objects.flatMap(({ metadata }) => metadata.uid ?? []));
}
