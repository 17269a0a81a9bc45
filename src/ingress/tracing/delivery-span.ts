import type { AnswerFacts } from "../answer-facts.ts";
import type { Span } from "../../domain/tracing/span.ts";
import { spanIdOf, type TraceContext, traceIdOf } from "../../domain/tracing/trace-context.ts";

/** Trace context of a delivery: a child of its sender's span, or the root of a new trace. */
export function deliveryContext(sender: TraceContext | undefined, deliveryId: string): Omit<TraceContext, "sampled"> {
  return { traceId: sender?.traceId ?? traceIdOf(deliveryId), spanId: spanIdOf(`delivery ${deliveryId}`) };
}

/** The span of a delivery that was answered at `end`. */
export function deliverySpan(
  { deliveryId, automation = "", outcome, status, durationMs }: AnswerFacts,
  { context, sender }: { context: TraceContext; sender: TraceContext | undefined },
  end: Date,
): Span {
  return {
    name: "POST /webhooks/automation",
    kind: "server",
    context,
    parentSpanId: sender?.spanId,
    start: new Date(end.getTime() - durationMs),
    end,
    attributes: {
      "http.request.method": "POST",
      "http.response.status_code": status,
      "runwright.automation": automation,
      "runwright.delivery": deliveryId,
      "runwright.outcome": outcome,
    },
    failure: status >= 500 ? outcome : undefined,
  };
}
