import type { AnswerFacts } from "../domain/deliveries/index.ts";
import { deliveryContext, deliverySpan, parseTraceparent, type TraceContext } from "../domain/tracing/index.ts";
import type { Clock } from "../lib/clock.ts";
import type { Tracing } from "./tracing.ts";

/** Traces of deliveries, as the ingress asks for them. */
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
