import type { KubeClient } from "../kube/client.ts";
import { nameHolder } from "../kube/name-holder.ts";
import type { KubeObject, Resource } from "../lib/resource.ts";

/** Creates an object under its deterministic name; one that is there with the same owner was made by an earlier attempt. */
export async function createOnce<T extends KubeObject>(
  client: Pick<KubeClient, "create" | "find">,
  resource: Resource<T>,
  object: T,
  signal: AbortSignal,
): Promise<T> {
  try {
    return await client.create<T>(resource, object, { signal });
  } catch (error) {
    const found = await nameHolder<T>(client, resource, { object, error }, { signal });
    const isOurs = found?.metadata.ownerReferences?.[0]?.uid === object.metadata.ownerReferences?.[0]?.uid;
    // Of another owner, or not there.
    if (!found || !isOurs) throw error;
    return found;
  }
}
