import type { AnswerFacts } from "../answer-facts.ts";
import { deliveryContext, deliverySpan } from "./delivery-span.ts";
import { parseTraceparent, type TraceContext } from "../../domain/tracing/trace-context.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Tracing } from "../../telemetry/tracing.ts";

/** Makes one span per delivery. */
export function deliveryTraces(tracing: Tracing, clock: Pick<Clock, "now">) {
  return {
    begin(deliveryId: string, traceparent: string | undefined) {
      const sender = parseTraceparent(traceparent);
      const ids = deliveryContext(sender, deliveryId);
      const context: TraceContext = { ...ids, sampled: tracing.isSampled(ids.traceId, sender) };
      return {
        context,
        answered: (facts: AnswerFacts) => tracing.tell(deliverySpan(facts, { context, sender }, clock.now())),
      };
    },
  };
}
