import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AlwaysOnSampler, type IdGenerator, TracerProvider } from "@opentelemetry/sdk-trace";

import type { Span } from "../domain/tracing/span.ts";
import type { TraceContext } from "../domain/tracing/trace-context.ts";
import type { Clock } from "../lib/clock.ts";
import { sleep } from "../lib/sleep.ts";
import { BoundedSpans } from "./bounded-spans.ts";
import { makeSampler, remoteContext } from "./sampler.ts";
import type { TraceMetrics } from "./trace-metrics.ts";
import type { TracingConfig } from "./tracing-config.ts";

/** Tells an OpenTelemetry receiver of work that is over. */
export interface Tracing {
  /** Whether a trace is kept, by its id and what it is part of. */
  isSampled(traceId: string, parent?: TraceContext): boolean;
  /** Returns at once and never throws for want of a receiver; a span that is not sampled is left out. */
  tell(span: Span): void;
  /** Sends what waits, for 5 s at most. */
  close(): Promise<void>;
}

const kinds = { server: SpanKind.SERVER, consumer: SpanKind.CONSUMER, internal: SpanKind.INTERNAL } as const;
const closingMs = 5_000;

/** Spans have the ids that they come with, so that one told twice is one. */
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
  {
    process,
    instance,
    clock,
    metrics,
  }: { process: string; instance: string; clock: Pick<Clock, "setTimeout">; metrics: TraceMetrics },
): Tracing {
  const ids = new GivenIds();
  const provider = new TracerProvider({
    idGenerator: ids,
    // Each span says itself whether it is sampled.
    sampler: new AlwaysOnSampler(),
    resource: resourceFromAttributes({ "service.name": `runwright-${process}`, "service.instance.id": instance }),
    spanLimits: { attributeValueLengthLimit: 256, attributeCountLimit: 16 },
    spanProcessors: [new BoundedSpans(new OTLPTraceExporter({ url: config.url }), metrics)],
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
      // What the receiver does not take has been counted.
      const shutdown = provider.shutdown().catch(() => undefined);
      await Promise.race([shutdown.finally(() => sent.abort()), sleep(clock, closingMs, sent.signal)]);
    },
  };
}
