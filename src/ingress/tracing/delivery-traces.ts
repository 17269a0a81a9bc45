import type { AnswerFacts } from "../answer-facts.ts";
import type { Span } from "../../domain/tracing/span.ts";
import { parseTraceparent, spanIdOf, type TraceContext, traceIdOf } from "../../domain/tracing/trace-context.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Tracing } from "../../telemetry/tracing.ts";

export type DeliveryTraces = ReturnType<typeof deliveryTraces>;
/** The trace of one delivery; `context` is the parent of the spans of its Run. */
export type DeliveryTrace = ReturnType<DeliveryTraces["begin"]>;

/** Makes one span per delivery, below the `traceparent` of its sender. */
export function deliveryTraces(tracing: Tracing, clock: Pick<Clock, "now">) {
  return {
    begin(deliveryId: string, traceparent: string | undefined) {
      const sender = parseTraceparent(traceparent);
      // A child of the sender's span, or the root of a new trace.
      const traceId = sender?.traceId ?? traceIdOf(deliveryId);
      const sampled = tracing.isSampled(traceId, sender);
      const context: TraceContext = { traceId, spanId: spanIdOf(`delivery ${deliveryId}`), sampled };
      return {
        context,
        answered: (facts: AnswerFacts) => tracing.tell(deliverySpan(facts, { context, sender }, clock.now())),
      };
    },
  };
}

/** The span of a delivery that was answered at `end`. */
function deliverySpan(
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
