import type { KubeClient } from "./client.ts";
import { isUnanswered, isUnsent } from "./errors.ts";
import { nameHolder } from "./name-holder.ts";
import type { KubeObject, Resource } from "../lib/resource.ts";

/** Creates an object, and repeats it once without an answer: an object of this name is the first attempt's then. */
export async function storeOnce<T extends KubeObject>(
  client: Pick<KubeClient, "create" | "find">,
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
    const found = await nameHolder<T>(client, resource, { object, error }, options);
    if (!found) throw error;
    return found;
  }
}
