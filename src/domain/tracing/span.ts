import type { TraceContext } from "./trace-context.ts";

/** A span that has ended. */
export interface Span {
  name: string;
  kind: "server" | "consumer" | "internal";
  context: TraceContext;
  /** Undefined for the root of a trace. */
  parentSpanId: string | undefined;
  start: Date;
  end: Date;
  /** Names and reasons; no text of senders, agents or Secrets. */
  attributes: Readonly<Record<string, string | number>>;
  /** The reason of a failure. */
  failure?: string | undefined;
}
