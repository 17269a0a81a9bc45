import { keyOf, type KubeObject, type Resource } from "../lib/resource.ts";
import type { KubeClient } from "./client.ts";
import { isAlreadyExists, isRefused } from "./errors.ts";

/**
 * What has the name of an object whose create failed with this error: the name is taken, or admission said no before the API server looked
 * at the name. Undefined where nothing has it, or where the failure says nothing of it.
 */
export async function nameHolder<T extends KubeObject>(
  client: Pick<KubeClient, "find">,
  resource: Resource<T>,
  { object, error }: { object: T; error: unknown },
  options: { signal?: AbortSignal | undefined } = {},
): Promise<T | undefined> {
  if (!isAlreadyExists(error) && !isRefused(error)) return undefined;
  return client.find<T>(resource, keyOf(object), options);
}
