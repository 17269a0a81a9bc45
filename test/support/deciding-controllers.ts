import { World } from "../apiserver/run/world.ts";
import { testCluster } from "./cluster.ts";

/** The controllers that decide about Runs, at work in a namespace of their own. */
export interface DecidingControllers {
  readonly namespace: string;
  close(): Promise<void>;
}

export async function startDecidingControllers(): Promise<DecidingControllers> {
  const world = await World.make(testCluster().kubeconfig);
  await world.startOperator();
  // Their time moves on, so that what they try again is tried.
  const ticking = setInterval(() => world.clock.advance(100), 100);
  return {
    namespace: world.namespace,
    async close() {
      clearInterval(ticking);
      await world.close();
    },
  };
}
