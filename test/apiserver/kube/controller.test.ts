import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { KubeClient } from "../../../src/kube/client.ts";
import { Controller } from "../../../src/kube/controller.ts";
import { type ConfigMap, configMaps } from "../../../src/kube/core-resources.ts";
import { isAlreadyExists } from "../../../src/kube/errors.ts";
import { Informer } from "../../../src/kube/informer.ts";
import { done, type Outcome } from "../../../src/kube/outcome.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { systemRandom } from "../../../src/lib/random.ts";
import { keyOf, type ObjectKey, ownerReferenceTo } from "../../../src/lib/resource.ts";
import { testCluster } from "../../support/cluster.ts";
import { type FaultProxy, startFaultProxy } from "../../support/fault-proxy.ts";
import { clientOf, newNamespace, until } from "../../support/kube.ts";

const parentCount = 40;
const isParent = ({ metadata }: ConfigMap): boolean => metadata.labels?.role === "parent";

let proxy: FaultProxy;
let direct: ReturnType<typeof clientOf>;
let watched: ReturnType<typeof clientOf>;
let namespace: string;

beforeAll(async () => {
  proxy = await startFaultProxy(testCluster());
  direct = clientOf({ file: testCluster().kubeconfig });
  watched = clientOf({ text: proxy.kubeconfig() });
});

afterAll(async () => {
  await watched.close();
  await direct.close();
  await proxy.close();
});

beforeEach(async () => {
  namespace = await newNamespace(direct.client, "controller");
  proxy.decide(undefined);
  proxy.seen.length = 0;
});

/** Gives each parent one child, then writes the child's UID into the parent, which settles it. */
class Families {
  readonly asked = new Map<string, number>();
  readonly informer: Informer<ConfigMap>;
  readonly controller: Controller;
  readonly #client: KubeClient;

  constructor() {
    this.informer = new Informer({ client: watched.client, clock: systemClock, random: systemRandom }, configMaps, {
      namespace,
    });
    this.controller = new Controller(
      { clock: systemClock, random: systemRandom },
      { name: "families", reconciler: this, backoff: { baseMs: 20, maxMs: 200 } },
    );
    this.controller.watch(this.informer, {
      keysOf: (object) => (isParent(object) ? [keyOf(object)] : [{ namespace, name: object.data?.parent ?? "" }]),
    });
    this.#client = this.controller.clientOf(watched.client);
  }

  async start(): Promise<void> {
    this.informer.start();
    await this.controller.start();
  }

  async stop(): Promise<void> {
    await this.controller.stop();
    await this.informer.stop();
  }

  async reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    this.asked.set(key.name, (this.asked.get(key.name) ?? 0) + 1);
    const parent = this.informer.get(key);
    if (!parent || parent.data?.childUid !== undefined) return done;
    const child = await this.#ensureChild(parent, signal);
    const { resourceVersion } = parent.metadata;
    const body = { metadata: { resourceVersion }, data: { childUid: child.metadata.uid } };
    await this.#client.patch(configMaps, key, body, { signal });
    return done;
  }

  async #ensureChild(parent: ConfigMap, signal: AbortSignal): Promise<ConfigMap> {
    const name = `${parent.metadata.name ?? ""}-child`;
    const metadata = { namespace, name, ownerReferences: [ownerReferenceTo(configMaps, parent)] };
    try {
      return await this.#client.create(
        configMaps,
        { metadata, data: { parent: parent.metadata.name ?? "" } },
        { signal },
      );
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return this.#client.get(configMaps, { namespace, name }, { signal });
    }
  }
}

async function createParents(): Promise<void> {
  const names = Array.from({ length: parentCount }, (_item, at) => `parent-${at}`);
  await Promise.all(
    names.map((name) =>
      direct.client.create(configMaps, { metadata: { namespace, name, labels: { role: "parent" } } }),
    ),
  );
}

async function settled(): Promise<boolean> {
  const { items } = await direct.client.list(configMaps, { namespace });
  const uids = new Map(items.map(({ metadata }) => [metadata.name, metadata.uid]));
  const parents = items.filter(isParent);
  return (
    items.length === 2 * parentCount &&
    parents.every(({ metadata, data }) => data?.childUid === uids.get(`${metadata.name ?? ""}-child`))
  );
}

it("needs one reconcile and two writes for each object, and none for its own events", async () => {
  const families = new Families();
  await families.start();
  await createParents();
  await until("all parents are settled", settled);
  // The cache has the last event, so nothing more can come of it.
  await until(
    "the cache has seen it all",
    () => families.informer.list().filter((one) => one.data?.childUid).length === parentCount,
  );
  await families.stop();
  expect(new Set(families.asked.values())).toEqual(new Set([1]));
  expect(proxy.seen.filter(({ isWrite }) => isWrite)).toHaveLength(2 * parentCount);
});

it("writes nothing in a second pass over a settled world", async () => {
  const first = new Families();
  await first.start();
  await createParents();
  await until("all parents are settled", settled);
  await first.stop();
  proxy.seen.length = 0;
  const second = new Families();
  await second.start();
  await until("every parent was looked at", () => second.asked.size === parentCount);
  await second.stop();
  expect(proxy.seen.filter(({ isWrite }) => isWrite)).toEqual([]);
});

it("settles everything exactly once although every third write fails, before or after it was done", async () => {
  let writes = 0;
  proxy.decide(({ isWrite }) => {
    if (!isWrite) return undefined;
    writes += 1;
    if (writes % 3 !== 0) return undefined;
    return [{ kind: "lose" } as const, { kind: "refuse" } as const, { kind: "answer", status: 500 } as const][
      (writes / 3) % 3
    ];
  });
  const families = new Families();
  await families.start();
  await createParents();
  await until("all parents are settled", settled);
  await families.stop();
  expect(writes).toBeGreaterThan(2 * parentCount);
});
