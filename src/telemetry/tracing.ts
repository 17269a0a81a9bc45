import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AlwaysOnSampler, type IdGenerator, TracerProvider } from "@opentelemetry/sdk-trace";

import type { Span } from "../domain/tracing/span.ts";
import type { TraceContext } from "../domain/tracing/trace-context.ts";
import type { Clock } from "../lib/clock.ts";
import { sleep } from "../lib/sleep.ts";
import { BoundedSpans, type TraceMetrics } from "./bounded-spans.ts";
import { makeSampler, remoteContext, type TracingConfig } from "./sampler.ts";

/** Exports spans to an OpenTelemetry receiver. */
export interface Tracing {
  /** Whether a trace is sampled, by its id and its parent. */
  isSampled(traceId: string, parent?: TraceContext): boolean;
  /** Queues a sampled span and ignores others; never waits for the receiver or throws because of it. */
  tell(span: Span): void;
  /** Exports queued spans, for 5 s at most. */
  close(): Promise<void>;
}

const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, internal: SpanKind.INTERNAL } as const;
const closingMs = 5_000;

/** Uses the ids that spans come with, so that a span that is exported twice is one. */
class GivenIds implements IdGenerator {
  next = { traceId: "", spanId: "" };

  generateTraceId(): string {
    return this.next.traceId;
  }

  generateSpanId(): string {
    return this.next.spanId;
  }
}

export function startTracing(
  config: TracingConfig,
  own: { process: string; instance: string; clock: Pick<Clock, "setTimeout">; metrics: TraceMetrics },
): Tracing {
  const ids = new GivenIds();
  const provider = new TracerProvider({
    idGenerator: ids,
    // `tell` has decided already.
    sampler: new AlwaysOnSampler(),
    resource: resourceFromAttributes({
      "service.name": `runwright-${own.process}`,
      "service.instance.id": own.instance,
    }),
    spanLimits: { attributeValueLengthLimit: 256, attributeCountLimit: 16 },
    spanProcessors: [new BoundedSpans(new OTLPTraceExporter({ url: config.url }), own.metrics)],
  });
  const tracer = provider.getTracer("runwright");
  return {
    isSampled: makeSampler(config),
    tell({ name, kind, context, parentSpanId, start, end, attributes, failure }) {
      if (!context.sampled) return;
      ids.next = context;
      const options = { kind: kinds[kind], startTime: start, attributes };
      const parent = parentSpanId === undefined ? undefined : remoteContext({ ...context, spanId: parentSpanId });
      const span = tracer.startSpan(name, options, parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT);
      if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
      span.end(end);
    },
    async close() {
      const sent = new AbortController();
      // Spans that cannot be exported are counted by the metrics.
      const shutdown = provider.shutdown().catch(() => undefined);
      await Promise.race([shutdown.finally(() => sent.abort()), sleep(own.clock, closingMs, sent.signal)]);
    },
  };
}
