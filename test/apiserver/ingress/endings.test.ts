import { afterEach, beforeEach, expect, it } from "vitest";

import type { DeliveryLog } from "../../../src/api/v1alpha1/index.ts";
import { testApi } from "../../support/cluster.ts";
import type { SeenRequest } from "../../support/fault-proxy.ts";
import { makeAutomation, runsOf } from "./automations.ts";
import { deliver, receipt } from "./sender.ts";
import { startWorld, type World, waitFor } from "./world.ts";

let world: World;
beforeEach(async () => (world = await startWorld()));
afterEach(() => world.close());

const isCreate = ({ method, path }: SeenRequest): boolean => method === "POST" && path.includes("/runs");

it("stores and answers what is under way and what waits, logs it, and ends without its senders' leave", async () => {
  const { replica } = world;
  const made = await makeAutomation(world);
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  replica.proxy.decide((request) => (isCreate(request) ? released : undefined));
  const underWay = Array.from({ length: 40 }, () => deliver(replica, made, {}));
  await waitFor("more than can be at work are there", () => replica.store.runs.load.waiting === 40 - 6);

  const ended = replica.end();
  release(undefined);
  const sent = await Promise.all(underWay);
  expect(sent.map(({ status, body }) => ({ status, body }))).toEqual(
    sent.map(() => ({ status: 200, body: receipt(1) })),
  );
  // They would have kept their connections; time stands still, so nothing but the answers ends these.
  await ended;
  expect(await runsOf(made)).toHaveLength(40);

  const path = `/apis/runwright.dev/v1alpha1/namespaces/${made.namespace}/deliverylogs/${made.name}`;
  const { deliveries = [] } = ((await testApi().send("GET", path)).body as DeliveryLog).spec;
  const ids = sent.map(({ headers }) => headers["runwright-delivery-id"]);
  expect(new Set(deliveries.map(({ id }) => id))).toEqual(new Set(ids));
});
