import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { connectorInformers } from "../../src/connector/informers.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { until } from "../../test/support/kube.ts";
import { conversationObjects, type Objects } from "./objects.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

export interface MeasuredMemory {
  conversationsMiB: number;
  bytesEach: number;
  /** With the Session, the Prompts and the events of each. */
  wholeMiB: number;
}

/** What the connector's caches take of conversations in which all is answered. */
export async function measureMemory(conversations: number, followUps: number): Promise<MeasuredMemory> {
  const alone = await cachedBytes(["conversations"], { conversations, followUps });
  const all = ["conversations", "sessions", "prompts", "integrationevents"] as const;
  const whole = await cachedBytes(all, { conversations, followUps });
  return { conversationsMiB: toMiB(alone), bytesEach: Math.round(alone / conversations), wholeMiB: toMiB(whole) };
}

const toMiB = (bytes: number): number => Math.round((bytes / 2 ** 20) * 10) / 10;

/** Bytes of the heap of caches that are filled as by lists of an API server: each object from its text. */
async function cachedBytes(
  kinds: readonly (keyof Objects)[],
  { conversations, followUps }: { conversations: number; followUps: number },
): Promise<number> {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const client = {
    list: (resource: { plural: string }, { transform }: { transform?: (object: unknown) => unknown }) => {
      const items: unknown[] = [];
      for (let index = 0; index < conversations; index += 1) {
        const all = conversationObjects(index, followUps);
        const wanted = kinds.includes(resource.plural as keyof Objects) ? all[resource.plural as keyof Objects] : [];
        for (const object of wanted) {
          const parsed: unknown = JSON.parse(JSON.stringify(object));
          items.push(transform ? transform(parsed) : parsed);
        }
      }
      return Promise.resolve({ items, resourceVersion: "1" });
    },
    watch: (_resource: unknown, { signal }: { signal?: AbortSignal }) =>
      new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve())),
  } as unknown as Parameters<typeof connectorInformers>[0]["client"];
  const informers = connectorInformers({ client, clock: systemClock, random: systemRandom }, undefined);
  const caches = Object.values(informers);
  for (const cache of caches) cache.start();
  await until("the caches are filled", () => caches.every(({ hasSynced }) => hasSynced));
  collectGarbage();
  const bytes = process.memoryUsage().heapUsed - before;
  await Promise.all(caches.map((cache) => cache.stop()));
  return bytes;
}
