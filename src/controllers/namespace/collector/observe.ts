import { labels } from "../../../api/v1alpha1/names.ts";
import { PrebuiltImage } from "../../../api/v1alpha1/prebuilt-image.ts";
import { SandboxClass } from "../../../api/v1alpha1/sandbox-class.ts";
import { SandboxPool } from "../../../api/v1alpha1/sandbox-pool.ts";
import { Session } from "../../../api/v1alpha1/session.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { pods } from "../../../kube/core-resources.ts";
import type { Informer } from "../../../kube/informer.ts";
import type { KubeObject } from "../../../lib/resource.ts";
import type { KindInformers } from "../../kind-informers.ts";
import { type Release, sandboxLabels, selectorOf } from "../../sandbox/labels.ts";
import type { NamespaceInformers } from "../informers.ts";
import { findLeftovers, type Kept, type Leftover, type LeftoverFacts } from "./facts.ts";

export type CollectorInformers = NamespaceInformers &
  Pick<KindInformers, "sessions" | "prebuiltImages" | "sandboxPools" | "sandboxClasses">;

/** The leftovers by the caches, which only name candidates. */
export function cachedLeftovers(informers: CollectorInformers, now: Date): Leftover[] {
  const { policies, accounts, roles, roleBindings } = informers;
  const kept = [...keptIn(policies), ...keptIn(accounts), ...keptIn(roles), ...keptIn(roleBindings)];
  const needed = {
    ownerNamespaces: new Set(
      [informers.sessions, informers.prebuiltImages, informers.sandboxPools].flatMap((owners) =>
        owners.list().map(({ metadata }) => metadata.namespace ?? ""),
      ),
    ),
    classNames: new Set(informers.sandboxClasses.list().map(({ metadata }) => metadata.name ?? "")),
  };
  return findLeftovers(kept, needed, now);
}

/** Reads from the API server what may need a leftover. */
export async function observeLeftover(
  { client, release }: { client: Pick<KubeClient, "find" | "list">; release: Release },
  leftover: Leftover,
  signal: AbortSignal,
): Promise<LeftoverFacts> {
  const { object, goneClass } = leftover;
  const { namespace } = object.metadata;
  const ofClass = goneClass === undefined ? {} : { [labels.sandboxClass]: goneClass };
  const labelSelector = selectorOf({ ...sandboxLabels(release), ...ofClass });
  const sandboxes = await client.list(pods, { namespace, labelSelector, metadataOnly: true, signal });
  const hasOwner =
    goneClass === undefined
      ? await hasOwnerOfSandboxes(client, namespace, signal)
      : (await client.find(SandboxClass, { name: goneClass }, { signal })) !== undefined;
  return { leftover, hasSandboxes: sandboxes.items.length > 0, hasOwner };
}

async function hasOwnerOfSandboxes(
  client: Pick<KubeClient, "list">,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  for (const kind of [Session, PrebuiltImage, SandboxPool]) {
    const { items } = await client.list<KubeObject>(kind, { namespace, metadataOnly: true, signal });
    if (items.length > 0) return true;
  }
  return false;
}

function keptIn<T extends KubeObject>(informer: Informer<T>): Kept[] {
  return informer.list().map((object) => ({ resource: informer.resource, object }));
}
