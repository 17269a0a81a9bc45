import { PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import { Session } from "../../api/v1alpha1/session.ts";
import type { BlobStore } from "../../blobs/blob-store.ts";
import type { KubeClient } from "../../kube/client.ts";
import { listIn } from "../../kube/list-in.ts";
import type { KubeObject, Resource } from "../../lib/resource.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { deleteBlobsOf, placeOf } from "./blob-places.ts";
import type { BlobUsage } from "./blob-usage.ts";
import type { OwnerView } from "../attempts/owner-view.ts";
import { forgetSuperseded } from "./image-archives.ts";

interface Deps {
  client: Pick<KubeClient, "list">;
  blobs: Pick<BlobStore, "owners" | "list" | "delete" | "deleteAll">;
  owners: Pick<OwnerView, "byUid" | "images" | "hasSynced">;
  /** Deletes events of an image's builds that nothing shows any more. */
  forgetOldEvents: (image: PrebuiltImage) => Promise<void>;
  /** Measured after each pass. */
  usage: Pick<BlobUsage, "measure">;
  clock: Clock;
  logger: Logger;
  /** Namespaces of the Sessions; none = all of the cluster. */
  watchNamespaces?: readonly string[] | undefined;
}

export const collectorTimes = {
  /** From the start to the first pass, in milliseconds. */
  firstMs: 60_000,
  everyMs: 600_000,
  /** Blobs of a session with a younger one are kept, in milliseconds. */
  youngMs: 300_000,
} as const;

/** Owners with other names are not ours. */
const uid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Deletes blobs of deleted Sessions and PrebuiltImages, and superseded images, periodically. Several replicas may do so at
 * once: deleting twice does no harm. Keeps the blobs of owners outside the watched namespaces or without a recorded namespace.
 */
export async function collectBlobs(deps: Deps, signal: AbortSignal): Promise<void> {
  const isStopped = (): boolean => signal.aborted;
  await sleep(deps.clock, collectorTimes.firstMs, signal);
  while (!isStopped()) {
    try {
      await collectOnce(deps, signal);
      await deps.usage.measure(signal);
    } catch (error) {
      if (!isStopped())
        deps.logger.warn({ err: error }, "Could not delete blobs that nothing needs, or measure the others");
    }
    await sleep(deps.clock, collectorTimes.everyMs, signal);
  }
}

/** One pass. */
export async function collectOnce(deps: Omit<Deps, "usage">, signal: AbortSignal): Promise<void> {
  const { blobs, owners, clock, logger, forgetOldEvents } = deps;
  if (!owners.hasSynced) return;
  for (const image of owners.images()) {
    await forgetSuperseded({ blobs, clock }, image);
    await forgetOldEvents(image);
  }
  const unknown = await unknownOwners(deps);
  if (unknown.length === 0) return;
  // Listed after the blobs: an owner exists before its first blob, so one that is not listed was deleted.
  const live = await liveOwners(deps, signal);
  for (const owner of unknown) {
    if (live.has(owner) || (await isYoung(deps, owner, signal))) continue;
    await deleteBlobsOf(blobs, owner);
    logger.info({ uid: owner }, "Deleted the blobs of a deleted Session or PrebuiltImage");
  }
}

async function unknownOwners(deps: Omit<Deps, "usage">): Promise<string[]> {
  const unknown: string[] = [];
  for await (const owner of deps.blobs.owners()) {
    if (uid.test(owner) && !deps.owners.byUid(owner) && (await isWatched(deps, owner))) unknown.push(owner);
  }
  return unknown;
}

async function isWatched({ blobs, watchNamespaces = [] }: Omit<Deps, "usage">, owner: string): Promise<boolean> {
  if (watchNamespaces.length === 0) return true;
  const place = await placeOf(blobs, owner);
  return place !== undefined && watchNamespaces.includes(place);
}

async function liveOwners(
  { client, watchNamespaces = [] }: Omit<Deps, "usage">,
  signal: AbortSignal,
): Promise<ReadonlySet<string | undefined>> {
  const lists = [Session, PrebuiltImage].map((kind) =>
    listIn(client, kind as Resource<KubeObject>, watchNamespaces, {
      signal,
      transform: ({ metadata: { uid: own } }) => ({ metadata: own === undefined ? {} : { uid: own } }),
    }),
  );
  return new Set((await Promise.all(lists)).flat().map(({ metadata }) => metadata.uid));
}

async function isYoung({ blobs, clock }: Omit<Deps, "usage">, owner: string, signal: AbortSignal): Promise<boolean> {
  const oldest = clock.now().getTime() - collectorTimes.youngMs;
  for await (const { modifiedAt } of blobs.list(`${owner}/`, { signal }))
    if (modifiedAt.getTime() > oldest) return true;
  return false;
}
