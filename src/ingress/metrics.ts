import { Counter, Gauge, Histogram, type Registry } from "prom-client";

import type { AnswerFacts } from "./answer-facts.ts";

const durationBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3];

interface Shown {
  /** Read at each scrape. */
  load: () => { working: number; waiting: number };
  hasConnector: boolean;
}

/** Defines the ingress's metrics on the registry. */
export function defineIngressMetrics(registry: Registry, { load, hasConnector }: Shown) {
  const registers = [registry];
  new Gauge({
    name: "runwright_ingress_has_connector",
    help: "1 where the release has a connector, for which the ingress takes events; 0 elsewhere",
    registers,
  }).set(hasConnector ? 1 : 0);
  const answers = new Counter({
    name: "runwright_ingress_requests_total",
    help: "Answered webhook requests by status (0 = the sender had gone), outcome and cause",
    labelNames: ["status", "outcome", "cause"],
    registers,
  });
  const durations = new Histogram({
    name: "runwright_ingress_request_duration_seconds",
    help: "Time from the first byte of a webhook request's headers to its answer, by outcome",
    labelNames: ["outcome"],
    buckets: durationBuckets,
    registers,
  });
  new Gauge({
    name: "runwright_ingress_creates",
    help: "Creates of Runs by state: working or waiting",
    labelNames: ["state"],
    registers,
    collect() {
      const { working, waiting } = load();
      this.set({ state: "working" }, working);
      this.set({ state: "waiting" }, waiting);
    },
  });
  const logWrites = new Counter({
    name: "runwright_ingress_delivery_log_writes_total",
    help: "Writes of DeliveryLogs by outcome: stored or failed",
    labelNames: ["outcome"],
    registers,
  });
  const dropped = new Counter({
    name: "runwright_ingress_delivery_log_dropped_total",
    help: "Deliveries that no DeliveryLog has: there was no memory for more while none could be written",
    registers,
  });
  const droppedConnections = new Counter({
    name: "runwright_ingress_connections_dropped_total",
    help: "Connections to the ingress that were dropped, as there were too many in all or from one address",
    registers,
  });
  return {
    droppedConnection: () => droppedConnections.inc(),
    wroteLog: (outcome: "stored" | "failed") => logWrites.inc({ outcome }),
    droppedFromLog: (deliveries: number) => dropped.inc(deliveries),
    answered(facts: Pick<AnswerFacts, "status" | "outcome" | "cause" | "durationMs">) {
      const { status, outcome, cause = "", durationMs } = facts;
      answers.inc({ status, outcome, cause });
      durations.observe({ outcome }, durationMs / 1_000);
    },
  };
}
