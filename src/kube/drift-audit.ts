import type { Clock } from "../lib/clock.ts";
import { keyOf, keyText, type KubeObject, type ObjectKey, type Resource } from "../lib/resource.ts";
import type { KubeClient } from "./client.ts";
import type { Selection } from "./client-options.ts";
import { isNewer } from "./resource-version.ts";
import { sleep } from "../lib/sleep.ts";

/** How long the watch may lag behind a list before a difference counts as a missed event. */
const graceMs = 5_000;

export interface DriftAuditOptions<T extends KubeObject> {
  client: Pick<KubeClient, "list">;
  clock: Clock;
  resource: Resource<T>;
  selection: Selection;
  held: { get(key: ObjectKey): T | undefined; list(): T[] };
}

/** A difference between list and cache: the version that the cache held when it was found. */
interface Suspect {
  key: ObjectKey;
  heldVersion: string | undefined;
}

/**
 * Compares a fresh list with the cache and returns how many objects the watch has missed. Only metadata is read;
 * differences get a few seconds to arrive by the watch.
 */
export async function auditDrift<T extends KubeObject>(
  options: DriftAuditOptions<T>,
  signal: AbortSignal,
): Promise<number> {
  const { client, clock, resource, selection, held } = options;
  const { items, resourceVersion } = await client.list(resource, { ...selection, metadataOnly: true, signal });
  const suspects = [...behind(items, held), ...leftOver(items, resourceVersion, held)];
  if (suspects.length === 0) return 0;
  await sleep(clock, graceMs, signal);
  if (signal.aborted) return 0;
  return suspects.filter(({ key, heldVersion }) => held.get(key)?.metadata.resourceVersion === heldVersion).length;
}

function behind<T extends KubeObject>(items: readonly T[], held: DriftAuditOptions<T>["held"]): Suspect[] {
  return items.flatMap((item) => {
    const key = keyOf(item);
    const heldVersion = held.get(key)?.metadata.resourceVersion;
    return isNewer(item.metadata.resourceVersion, heldVersion) ? [{ key, heldVersion }] : [];
  });
}

function leftOver<T extends KubeObject>(
  items: readonly T[],
  resourceVersion: string,
  held: DriftAuditOptions<T>["held"],
): Suspect[] {
  const listed = new Set(items.map((item) => keyText(keyOf(item))));
  return held.list().flatMap((object) => {
    const key = keyOf(object);
    const heldVersion = object.metadata.resourceVersion;
    return listed.has(keyText(key)) || isNewer(heldVersion, resourceVersion) ? [] : [{ key, heldVersion }];
  });
}
