import type { SandboxEvent } from "../../api/runtime/messages.ts";
import type { GatewayMetrics } from "../metrics.ts";
import type { Attempt } from "./attempt.ts";

/** Where the events of sessions go. The same number may come twice, after a change of replicas. */
export interface SessionEventSink {
  publish(attempt: Attempt, seq: number, event: SandboxEvent): void;
}

/** Counts events; their content is not kept. */
export function countingSink(metrics: Pick<GatewayMetrics, "events">): SessionEventSink {
  return { publish: (_attempt, _seq, event) => metrics.events.inc({ kind: event.kind }) };
}
