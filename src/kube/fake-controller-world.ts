import { FakeClock } from "../lib/fake-clock.ts";
import { keyOf, type ObjectKey } from "../lib/resource.ts";
import { Controller, type ControllerOptions, type Reconciler, type WatchRule } from "./controller.ts";
import { type ConfigMap, configMaps } from "./core-resources.ts";
import { FakeCollection } from "./fake-collection.ts";
import { Informer } from "./informer.ts";
import type { Outcome } from "./outcome.ts";
import type { KubeLog } from "./ports.ts";

/** Lets everything run that waits for no clock. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
}

export function aConfigMap(name: string, data: Record<string, string> = {}): ConfigMap {
  return { metadata: { namespace: "demo", name }, data };
}

export interface ControllerWorld {
  server: FakeCollection<ConfigMap>;
  clock: FakeClock;
  controller: Controller;
  informer: Informer<ConfigMap>;
  /** What the reconciler was asked, in order. */
  asked: string[];
  outcomes: string[];
  failures: string[];
}

interface WorldOptions extends Partial<ControllerOptions>, Partial<WatchRule<ConfigMap>> {
  log?: KubeLog;
  /** Called with the key of each failure that the reconciler reports. */
  onFailed?: (key: ObjectKey) => Promise<unknown>;
}

/** A controller of ConfigMaps whose reconciler does what the test says. */
export async function aControllerWorld(
  reconcile: (key: ObjectKey, signal: AbortSignal) => Promise<Outcome> | Outcome,
  options: WorldOptions = {},
): Promise<ControllerWorld> {
  const server = new FakeCollection<ConfigMap>();
  const clock = new FakeClock();
  const asked: string[] = [];
  const outcomes: string[] = [];
  const failures: string[] = [];
  const metrics = {
    reconciled: (_controller: string, outcome: string) => void outcomes.push(outcome),
    queueWaited: () => undefined,
    wrote: () => undefined,
  };
  const reconciler: Reconciler = {
    async reconcile(key, signal) {
      asked.push(key.name);
      return reconcile(key, signal);
    },
    async failed(key, _error, kind) {
      failures.push(kind);
      await options.onFailed?.(key);
    },
  };
  const informer = new Informer({ client: server, clock, random: { fraction: () => 1 } }, configMaps, {
    auditEveryMs: 0,
  });
  const controller = new Controller(
    { clock, random: { fraction: () => 1 }, metrics, log: options.log },
    { name: "maps", reconciler, ...options },
  );
  controller.watch(informer, { keysOf: options.keysOf ?? ((object) => [keyOf(object)]), when: options.when });
  informer.start();
  await controller.start();
  await settle();
  return { server, clock, controller, informer, asked, outcomes, failures };
}
