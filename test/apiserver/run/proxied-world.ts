import { afterEach, beforeEach } from "vitest";

import { testCluster } from "../../support/cluster.ts";
import { type FaultProxy, startFaultProxy } from "../../support/fault-proxy.ts";
import { World } from "./world.ts";

/** A world for each test whose controllers reach the API server through a proxy that a test can have fail. */
export function proxiedWorld(): { proxy: FaultProxy; world: World } {
  const open = {} as { proxy: FaultProxy; world: World };
  beforeEach(async () => {
    open.proxy = await startFaultProxy(testCluster());
    open.world = await World.make(testCluster().kubeconfig, { proxy: open.proxy });
  });
  afterEach(async () => {
    await open.world.close();
    await open.proxy.close();
  });
  return open;
}
