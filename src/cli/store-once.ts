import type { KubeClient } from "../kube/client.ts";
import { isAlreadyExists, isUnanswered, isUnsent } from "../kube/errors.ts";
import { keyOf, type KubeObject, type Resource } from "../lib/resource.ts";

/** A create whose answer was lost is repeated once: what has the name then is the first attempt's. */
export async function storeOnce<T extends KubeObject>(
  client: Pick<KubeClient, "create" | "get">,
  resource: Resource<T>,
  object: T,
): Promise<T> {
  try {
    return await client.create<T>(resource, object);
  } catch (error) {
    if (!isUnanswered(error) && !isUnsent(error)) throw error;
  }
  try {
    return await client.create<T>(resource, object);
  } catch (error) {
    if (isAlreadyExists(error)) return client.get<T>(resource, keyOf(object));
    throw error;
  }
}
