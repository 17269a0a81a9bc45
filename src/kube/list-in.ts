import type { KubeObject, Resource } from "../lib/resource.ts";
import type { KubeClient } from "./client.ts";
import type { ListOptions, ListShape } from "./client-options.ts";

/** Lists some namespaces one after the other, or the whole collection where none are given. */
export async function listIn<T extends KubeObject>(
  client: Pick<KubeClient, "list">,
  resource: Resource<T>,
  namespaces: readonly string[],
  options: Omit<ListOptions, "namespace"> & ListShape<T>,
): Promise<T[]> {
  if (namespaces.length === 0) return (await client.list(resource, options)).items;
  const found: T[] = [];
  for (const namespace of namespaces) found.push(...(await client.list(resource, { ...options, namespace })).items);
  return found;
}
