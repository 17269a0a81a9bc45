import type { KubeClient } from "../../kube/client.ts";
import type { NamespacedName } from "../../lib/namespaced-name.ts";
import type { KubeObject, Resource } from "../../lib/resource.ts";
import { ApiError } from "./errors.ts";

/** The object, read from the API server. @throws ApiError when it does not exist or is being deleted */
export async function findLive<T extends KubeObject>(
  client: Pick<KubeClient, "find">,
  resource: Resource<T>,
  { namespace, name }: NamespacedName,
  signal: AbortSignal,
): Promise<T> {
  const found = await client.find<T>(resource, { namespace, name }, { signal });
  if (found && found.metadata.deletionTimestamp === undefined) return found;
  throw new ApiError("NotFound", `there is no ${resource.kind.toLowerCase()} ${namespace}.${name}`);
}
