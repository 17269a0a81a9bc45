import type { KubeClient } from "../../../src/kube/client.ts";
import { type ConfigMap, configMaps } from "../../../src/kube/core-resources.ts";

export const objectCount = 1_000;

export function nameOf(index: number): string {
  return `object-${String(index).padStart(4, "0")}`;
}

function objectAt(namespace: string, index: number, round: number): ConfigMap {
  return {
    metadata: { namespace, name: nameOf(index), labels: { shard: `s${index % 10}` } },
    data: { round: `${round} é✓` },
  };
}

/** Runs `work` for 0 to `count - 1`, so many at a time. */
async function inParallel(count: number, work: (index: number) => Promise<unknown>, width = 16): Promise<void> {
  let next = 0;
  async function worker(): Promise<void> {
    for (let index = next++; index < count; index = next++) await work(index);
  }
  await Promise.all(Array.from({ length: width }, worker));
}

export async function createObjects(client: KubeClient, namespace: string): Promise<void> {
  await inParallel(objectCount, (index) => client.create(configMaps, objectAt(namespace, index, 0)));
}

/**
 * Touches the first `count` objects once: most are changed; every fifth is deleted, or made again where it was gone;
 * every tenth is deleted and made again at once under its name.
 */
export async function changeObjects(
  client: KubeClient,
  namespace: string,
  { round, count = objectCount }: { round: number; count?: number },
): Promise<void> {
  await inParallel(count, async (index) => {
    const key = { namespace, name: nameOf(index) };
    if (index % 5 !== 0) {
      await client.patch(configMaps, key, { data: { round: `${round} é✓` } });
      return;
    }
    const wasThere = await client.delete(configMaps, key);
    if (!wasThere || index % 10 === 0) await client.create(configMaps, objectAt(namespace, index, round));
  });
}
