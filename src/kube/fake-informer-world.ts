import { FakeClock } from "../lib/fake-clock.ts";
import type { Change } from "./cache.ts";
import { type ConfigMap, configMaps } from "./core-resources.ts";
import { FakeCollection } from "./fake-collection.ts";
import { aConfigMap, settle } from "./fake-controller-world.ts";
import { Informer, type InformerOptions } from "./informer.ts";

export interface InformerWorld {
  server: FakeCollection<ConfigMap>;
  clock: FakeClock;
  informer: Informer<ConfigMap>;
  changes: string[];
  counted: string[];
}

export function anInformerWorld(options: InformerOptions<ConfigMap> = {}): InformerWorld {
  const server = new FakeCollection<ConfigMap>();
  const clock = new FakeClock();
  const counted: string[] = [];
  const metrics = {
    listed: (_resource: string, reason: string) => void counted.push(`listed ${reason}`),
    watchEnded: (_resource: string, outcome: string) => void counted.push(`watch ${outcome}`),
    drifted: (_resource: string, objects: number) => void counted.push(`drifted ${objects}`),
  };
  const informer = new Informer(
    { client: server, clock, random: { fraction: () => 0.5 }, metrics },
    configMaps,
    options,
  );
  const changes: string[] = [];
  informer.onChange(({ type, object }: Change<ConfigMap>) => {
    changes.push(`${type} ${object.metadata.name ?? ""}`);
  });
  return { server, clock, informer, changes, counted };
}

export async function aSyncedWorld(options: InformerOptions<ConfigMap> = {}): Promise<InformerWorld> {
  const world = anInformerWorld(options);
  world.server.put(aConfigMap("a"));
  world.informer.start();
  await world.informer.synced();
  await settle();
  return world;
}
