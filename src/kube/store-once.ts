import type { KubeClient } from "./client.ts";
import { isAlreadyExists, isUnanswered, isUnsent } from "./errors.ts";
import { keyOf, type KubeObject, type Resource } from "../lib/resource.ts";

/** Creates an object, and repeats it once without an answer: an object of this name is the first attempt's then. */
export async function storeOnce<T extends KubeObject>(
  client: Pick<KubeClient, "create" | "get">,
  resource: Resource<T>,
  object: T,
  options: { signal?: AbortSignal | undefined } = {},
): Promise<T> {
  try {
    return await client.create<T>(resource, object, options);
  } catch (error) {
    if (!isUnanswered(error) && !isUnsent(error)) throw error;
  }
  try {
    return await client.create<T>(resource, object, options);
  } catch (error) {
    if (isAlreadyExists(error)) return client.get<T>(resource, keyOf(object), options);
    throw error;
  }
}
