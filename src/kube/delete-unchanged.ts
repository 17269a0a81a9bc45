import type { KubeClient } from "./client.ts";
import { isConflict } from "./errors.ts";
import { keyOf, type KubeObject, type Resource } from "../lib/resource.ts";

/** Deletes an object unless it has changed since it was observed; the next pass judges that one anew. */
export async function deleteUnchanged(
  client: Pick<KubeClient, "delete">,
  resource: Resource<KubeObject>,
  object: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  try {
    await client.delete(resource, keyOf(object), { uid, resourceVersion, signal });
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
}
