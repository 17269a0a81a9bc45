import { Counter, type Registry } from "prom-client";

/** Metrics of exported spans. */
export interface TraceMetrics {
  spans(outcome: "exported" | "failed" | "dropped", count: number): void;
}

/** Defines the metric on the registry. */
export function defineTraceMetrics(registry: Registry): TraceMetrics {
  const spans = new Counter({
    name: "runwright_trace_spans_total",
    help: "Spans of traces by outcome: exported, failed (the receiver did not take them) or dropped (too many waited)",
    labelNames: ["outcome"],
    registers: [registry],
  });
  for (const outcome of ["exported", "failed", "dropped"]) spans.inc({ outcome }, 0);
  return { spans: (outcome, count) => spans.inc({ outcome }, count) };
}
