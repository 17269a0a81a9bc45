import type { KubeClient } from "../../../kube/client.ts";
import { isAlreadyExists } from "../../../kube/errors.ts";
import { jsonEqual } from "../../../lib/json-equal.ts";
import { keyOf, type KubeObject, type Resource } from "../../../lib/resource.ts";

/** What of the API server {@link ensureObject} needs. */
export type EnsureClient = Pick<KubeClient, "find" | "create" | "replace">;

/**
 * Brings an object of ours to what is wanted: created when missing, replaced under its resource version when a member
 * that `wanted` has is another, untouched otherwise. Members that `wanted` lacks stay as they are. Says whether
 * something changed.
 */
export async function ensureObject<T extends KubeObject>(
  client: EnsureClient,
  resource: Resource<T>,
  wanted: T,
): Promise<boolean> {
  const stored = await client.find(resource, keyOf(wanted));
  if (!stored) {
    await client.create(resource, wanted).catch((error: unknown) => {
      // Another client was faster; the next look compares.
      if (!isAlreadyExists(error)) throw error;
    });
    return true;
  }
  if (isAsWanted(stored, wanted)) return false;
  const metadata = { ...stored.metadata, labels: { ...stored.metadata.labels, ...wanted.metadata.labels } };
  await client.replace(resource, { ...stored, ...wanted, metadata });
  return true;
}

function isAsWanted(stored: KubeObject, wanted: KubeObject): boolean {
  const held = new Map(Object.entries(stored));
  const heldLabels = stored.metadata.labels ?? {};
  return (
    Object.entries(wanted).every(([name, value]) => name === "metadata" || jsonEqual(held.get(name), value)) &&
    Object.entries(wanted.metadata.labels ?? {}).every(([name, value]) => heldLabels[name] === value)
  );
}
