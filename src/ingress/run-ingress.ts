import type { Registry } from "prom-client";

import type { KubeClient } from "../kube/client.ts";
import type { Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import type { KubeMetrics } from "../telemetry/kube-metrics.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { Tracing } from "../telemetry/tracing.ts";
import type { AnswerFacts } from "./answer-facts.ts";
import { startDeliveryStore } from "./cluster/delivery-store.ts";
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
}

/** Starts the process `runwright ingress` on the cluster, with its metrics, access log and traces. */
export async function runIngress(deps: RunIngressDeps): Promise<Pick<Ingress, "notReadyBecause" | "close">> {
  const { client, clock, random, logger, registry, metrics, tracing, release, watchNamespaces, port } = deps;
  const ingressMetrics = defineIngressMetrics(registry, () => store.runs.load);
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
  const ingress = await startIngress({
    port,
    automations,
    runs,
    ledger,
    clock,
    random,
    traces: tracing && deliveryTraces(tracing, clock),
    observer: {
      answered(facts) {
        ingressMetrics.answered(facts);
        logAnswer(logger, facts);
      },
    },
  });
  return {
    notReadyBecause: () => ingress.notReadyBecause(),
    async close() {
      await ingress.close();
      await store.stop();
    },
  };
}

/** One line per answered request: at info, or at warn with the error for 5xx answers. */
function logAnswer(logger: Logger, { durationMs, error, ...facts }: AnswerFacts): void {
  const line = { ...facts, durationMs: Math.round(durationMs * 10) / 10 };
  if (facts.status < 500) logger.info(line, "Answered request");
  else logger.warn({ ...line, err: error }, "Answered request");
}
