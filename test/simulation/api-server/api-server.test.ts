import { expect, it } from "vitest";

import { KubeClient } from "../../../src/kube/client.ts";
import { leases } from "../../../src/kube/core-resources.ts";
import { isGone } from "../../../src/kube/errors.ts";
import { apiServerContract } from "../../support/api-server-contract.ts";
import { calm, Faults } from "../faults.ts";
import { type Channel, Network } from "../network.ts";
import { ProcessTransport } from "../process-transport.ts";
import { SeededRandom } from "../seeded-random.ts";
import { ProcessClock, VirtualClock } from "../virtual-clock.ts";
import { ApiServer } from "./api-server.ts";
import { Store } from "./store.ts";

/** On which everything arrives at once. */
class QuickNetwork extends Network {
  override send(_channel: Channel, delivery: () => void): void {
    queueMicrotask(delivery);
  }
}

function connected(): { client: KubeClient; api: ApiServer } {
  const world = new VirtualClock("2026-05-04T10:15:00.000Z");
  const random = new SeededRandom(1);
  const api = new ApiServer(new Store(world, random));
  const clock = new ProcessClock(world);
  const network = new QuickNetwork(random);
  const transport = new ProcessTransport({ api, network, clock, faults: new Faults(random, calm), name: "test" });
  return { client: new KubeClient({ transport, clock }), api };
}

apiServerContract(() =>
  Promise.resolve({ client: connected().client, namespace: "shop", close: () => Promise.resolve() }),
);

it("refuses a watch from before what it has forgotten", async () => {
  const { client, api } = connected();
  const create = (name: string): Promise<unknown> =>
    client.create(leases, { metadata: { namespace: "shop", name }, spec: {} });
  await create("a");
  const { resourceVersion } = await client.list(leases);
  await create("b");
  api.compact();
  const options = { resourceVersion, serverTimeoutSeconds: 30, idleTimeoutMs: 30_000 };
  await expect(client.watch(leases, options, () => undefined)).rejects.toSatisfy(isGone);
});
