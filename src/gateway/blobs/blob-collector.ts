import { Session } from "../../api/v1alpha1/session.ts";
import type { BlobStore } from "../../blobs/blob-store.ts";
import type { KubeClient } from "../../kube/client.ts";
import { listIn } from "../../kube/list-in.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { deleteBlobsOf, placeOf } from "./blob-places.ts";
import type { BlobUsage } from "./blob-usage.ts";
import type { SessionView } from "../attempts/session-view.ts";

interface Deps {
  client: Pick<KubeClient, "list">;
  blobs: Pick<BlobStore, "owners" | "list" | "deleteAll">;
  sessions: Pick<SessionView, "byUid" | "hasSynced">;
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
 * Deletes blobs of deleted Sessions periodically. Several replicas may do so at once: deleting twice does no harm. Keeps
 * the blobs of Sessions outside the watched namespaces or without a recorded namespace.
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
        deps.logger.warn({ err: error }, "Could not delete blobs of deleted Sessions, or measure those of the others");
    }
    await sleep(deps.clock, collectorTimes.everyMs, signal);
  }
}

/** One pass. */
export async function collectOnce(deps: Omit<Deps, "usage">, signal: AbortSignal): Promise<void> {
  const { blobs, sessions, logger } = deps;
  if (!sessions.hasSynced) return;
  const unknown: string[] = [];
  for await (const owner of blobs.owners()) {
    if (uid.test(owner) && !sessions.byUid(owner) && (await isWatched(deps, owner))) unknown.push(owner);
  }
  if (unknown.length === 0) return;
  // Listed after the blobs: a Session exists before its first blob, so one that is not listed was deleted.
  const live = await liveSessions(deps, signal);
  for (const owner of unknown) {
    if (live.has(owner) || (await isYoung(deps, owner, signal))) continue;
    await deleteBlobsOf(blobs, owner);
    logger.info({ uid: owner }, "Deleted the blobs of a deleted Session");
  }
}

async function isWatched({ blobs, watchNamespaces = [] }: Omit<Deps, "usage">, owner: string): Promise<boolean> {
  if (watchNamespaces.length === 0) return true;
  const place = await placeOf(blobs, owner);
  return place !== undefined && watchNamespaces.includes(place);
}

async function liveSessions(
  { client, watchNamespaces = [] }: Omit<Deps, "usage">,
  signal: AbortSignal,
): Promise<ReadonlySet<string | undefined>> {
  const live = await listIn<Session>(client, Session, watchNamespaces, {
    signal,
    transform: ({ metadata: { uid: own }, spec }) => ({ metadata: own === undefined ? {} : { uid: own }, spec }),
  });
  return new Set(live.map(({ metadata }) => metadata.uid));
}

async function isYoung({ blobs, clock }: Omit<Deps, "usage">, owner: string, signal: AbortSignal): Promise<boolean> {
  const oldest = clock.now().getTime() - collectorTimes.youngMs;
  for await (const { modifiedAt } of blobs.list(`${owner}/`, { signal }))
    if (modifiedAt.getTime() > oldest) return true;
  return false;
}
