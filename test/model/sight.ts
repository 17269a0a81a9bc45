import { Run } from "../../src/api/v1alpha1/index.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import type { KubeObject, Resource } from "../../src/lib/resource.ts";
import type { World } from "./world.ts";

/** What somebody's watch of a kind shows of a namespace. */
export interface Sight {
  resource: Resource<KubeObject>;
  shown: () => readonly KubeObject[];
}

/** Waits until our own watch of Runs has shown all that is stored. */
export async function seesAll(world: World): Promise<void> {
  const { observation, client } = world.commons;
  const sight = { resource: Run, shown: () => observation.runs(world.namespace) };
  await world.until(async () => behind(client, world.namespace, [sight]));
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
