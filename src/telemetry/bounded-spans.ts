import {
  BatchSpanProcessor,
  type ReadableSpan,
  type Span,
  type SpanExporter,
  type SpanProcessor,
} from "@opentelemetry/sdk-trace";

import type { TraceMetrics } from "./trace-metrics.ts";

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
            metrics.spans(code === 0 ? "exported" : "failed", spans.length);
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
      this.#metrics.spans("dropped", 1);
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
