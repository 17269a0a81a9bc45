import type { Registry } from "prom-client";

import type { KubeClient } from "../kube/client.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { KubeMetrics } from "../telemetry/kube-metrics.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { Tracing } from "../telemetry/tracing.ts";
import { accessLog } from "./access-log.ts";
import { startDeliveryStore } from "./cluster/delivery-store.ts";
import { EventWriter } from "./integrations/event-writer.ts";
import { IntegrationReader } from "./integrations/integration-reader.ts";
import { defineIngressMetrics } from "./metrics.ts";
import { type Ingress, startIngress } from "./start-ingress.ts";
import { deliveryTraces } from "./tracing/delivery-traces.ts";

export interface RunIngressDeps {
  client: KubeClient;
  clock: Clock;
  random: Random;
  logger: Logger;
  registry: Registry;
  metrics: KubeMetrics;
  /** Absent where traces are not wanted. */
  tracing?: Tracing | undefined;
  release: { keysNamespace: string };
  /** Namespaces whose automations take deliveries; none = all of the cluster. */
  watchNamespaces: readonly string[];
  /** 0 = any free one. */
  port: number;
  /** Whether the release has a connector, which handles events of Integrations. */
  hasConnector: boolean;
}

/** Starts the process `runwright ingress` on the cluster, with its metrics, access log and traces. */
export async function runIngress(deps: RunIngressDeps): Promise<Pick<Ingress, "notReadyBecause" | "close">> {
  const { client, clock, random, logger, registry, metrics, tracing, release, watchNamespaces, port, hasConnector } =
    deps;
  const logAnswer = accessLog(logger);
  const ingressMetrics = defineIngressMetrics(registry, { load: () => store.runs.load, hasConnector });
  const store = startDeliveryStore({
    client,
    clock,
    random,
    keysNamespace: release.keysNamespace,
    watchNamespaces,
    log: logger,
    metrics,
    ledgerMetrics: ingressMetrics,
  });
  const { automations, runs, ledger } = store;
  const read = { client, clock, random, keysNamespace: release.keysNamespace, watchNamespaces, log: logger, metrics };
  const reader = hasConnector ? new IntegrationReader(read) : undefined;
  reader?.start();
  const ingress = await startIngress({
    port,
    intake: reader && { reader, events: new EventWriter({ client, clock }) },
    automations,
    runs,
    ledger,
    clock,
    random,
    traces: tracing && deliveryTraces(tracing, clock),
    onDropped: () => ingressMetrics.droppedConnection(),
    observer: {
      answered(facts) {
        ingressMetrics.answered(facts);
        logAnswer(facts);
      },
    },
  });
  return {
    notReadyBecause: () => ingress.notReadyBecause(),
    async close() {
      await ingress.close();
      await Promise.all([store.stop(), reader?.stop()]);
    },
  };
}
