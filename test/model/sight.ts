import type { KubeClient } from "../../src/kube/client.ts";
import type { KubeObject, Resource } from "../../src/lib/resource.ts";

/** What a watch of a kind shows of a namespace. */
export interface Sight {
  resource: Resource<KubeObject>;
  shown: () => readonly KubeObject[];
}

/** Which watch does not show what is stored; undefined when all do. */
export async function behind(
  client: KubeClient,
  namespace: string,
  sights: readonly Sight[],
): Promise<string | undefined> {
  for (const { resource, shown } of sights) {
    const { items } = await client.list(resource, { namespace });
    if (versions(items) !== versions(shown())) return `the watch of ${resource.plural} shows what is stored`;
  }
  return undefined;
}

function versions(objects: readonly KubeObject[]): string {
  return objects
    .map(({ metadata }) => `${metadata.uid ?? ""} ${metadata.resourceVersion ?? ""}`)
    .sort()
    .join(", ");
}
