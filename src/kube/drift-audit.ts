import type { Clock } from "../lib/clock.ts";
import { keyOf, keyText, type KubeObject, type ObjectKey, type Resource } from "../lib/resource.ts";
import type { Cache } from "./cache.ts";
import type { KubeClient } from "./client.ts";
import type { Selection } from "./client-options.ts";
import { isNewer } from "../lib/resource-version.ts";
import { sleep } from "../lib/sleep.ts";

/** How long the watch may lag behind a list before a difference counts as a missed event. */
const graceMs = 5_000;

export interface DriftAuditOptions<T extends KubeObject> {
  client: Pick<KubeClient, "list">;
  clock: Clock;
  resource: Resource<T>;
  /** The part of the collection, and of the cache, that is compared. */
  selection: Selection;
  cache: Pick<Cache<T>, "get" | "list">;
}

/**
 * Compares a fresh list with the cache and returns how many objects the watch has missed. Only metadata is read;
 * differences get a few seconds to arrive by the watch.
 */
export async function auditDrift<T extends KubeObject>(
  { client, clock, resource, selection, cache }: DriftAuditOptions<T>,
  signal: AbortSignal,
): Promise<number> {
  const { items, resourceVersion } = await client.list(resource, { ...selection, metadataOnly: true, signal });
  const heldVersion = (key: ObjectKey): string | undefined => cache.get(key)?.metadata.resourceVersion;
  const behind = items.filter((item) => isNewer(item.metadata.resourceVersion, heldVersion(keyOf(item))));
  const listed = new Set(items.map((item) => keyText(keyOf(item))));
  const leftOver = cache.list(selection.namespace).filter((object) => {
    return !listed.has(keyText(keyOf(object))) && !isNewer(object.metadata.resourceVersion, resourceVersion);
  });
  // Each with the version that the cache held when the difference was found.
  const suspects = [...behind, ...leftOver].map(keyOf).map((key) => ({ key, version: heldVersion(key) }));
  if (suspects.length === 0) return 0;
  await sleep(clock, graceMs, signal);
  if (signal.aborted) return 0;
  return suspects.filter(({ key, version }) => heldVersion(key) === version).length;
}
