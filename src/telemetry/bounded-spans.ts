import {
  BatchSpanProcessor,
  type ReadableSpan,
  type Span,
  type SpanExporter,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace";
import type { Counter, Registry } from "prom-client";
import { metricsOn } from "./metric-definitions.ts";

/** Counts spans by what became of them. */
export type TraceMetrics = Counter<"outcome">;

export function defineTraceMetrics(registry: Registry): TraceMetrics {
  return metricsOn(registry).counterFromZero("outcome", ["exported", "failed", "dropped"], {
    name: "runwright_trace_spans_total",
    help: "Spans of traces by outcome: exported, failed (the receiver did not take them) or dropped (too many waited)",
  });
}

/** Maximum of spans that wait for the receiver; further ones are dropped. */
export const longestQueue = 2_048;

/** Exports spans in batches in the background; a slow or unreachable receiver only costs spans. */
export class BoundedSpans implements SpanProcessor {
  readonly #batches: BatchSpanProcessor;
  readonly #metrics: TraceMetrics;
  #waiting = 0;

  constructor(exporter: SpanExporter, metrics: TraceMetrics) {
    this.#metrics = metrics;
    this.#batches = new BatchSpanProcessor({
      maxQueueSize: longestQueue,
      scheduledDelayMillis: 1_000,
      exporter: {
        export: (spans, done) =>
          exporter.export(spans, (result) => {
            this.#waiting -= spans.length;
            // 0 is success; its enumeration is in a package that we do not depend on.
            const { code }: { code: number } = result;
            metrics.inc({ outcome: code === 0 ? "exported" : "failed" }, spans.length);
            done(result);
          }),
        shutdown: () => exporter.shutdown(),
      },
    });
  }

  onStart(span: Span, ...rest: [Parameters<SpanProcessor["onStart"]>[1]]): void {
    this.#batches.onStart(span, ...rest);
  }

  onEnd(span: ReadableSpan): void {
    if (this.#waiting >= longestQueue) {
      this.#metrics.inc({ outcome: "dropped" });
      return;
    }
    this.#waiting += 1;
    this.#batches.onEnd(span);
  }

  forceFlush(): Promise<void> {
    return this.#batches.forceFlush();
  }

  shutdown(): Promise<void> {
    return this.#batches.shutdown();
  }
}
