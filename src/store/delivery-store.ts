import { randomBytes } from "node:crypto";

import type { KubeClient } from "../kube/client.ts";
import type { InformerDeps } from "../kube/informer.ts";
import type { Clock } from "../lib/clock.ts";
import { ClusterAutomationReader } from "./automation-reader.ts";
import { ClusterRunWriter } from "./run-writer.ts";

export interface DeliveryStoreDeps extends Pick<InformerDeps, "log" | "metrics"> {
  /** With 32 connections: 24 for creates and the rest for reads, which must not queue behind them. */
  client: KubeClient;
  clock: Clock;
  keysNamespace: string;
}

/** The ingress's view of the cluster. */
export interface DeliveryStore {
  automations: ClusterAutomationReader;
  runs: ClusterRunWriter;
  stop(): Promise<void>;
}

/** Begins to watch Automations; ready to serve once `automations.notReadyBecause()` is undefined. */
export function startDeliveryStore({ client, clock, keysNamespace, log, metrics }: DeliveryStoreDeps): DeliveryStore {
  const automations = new ClusterAutomationReader({ client, clock, keysNamespace, log, metrics });
  const runs = new ClusterRunWriter({ client, clock, randomBytes });
  automations.onGone((uid) => runs.forget(uid));
  automations.start();
  return { automations, runs, stop: () => automations.stop() };
}
