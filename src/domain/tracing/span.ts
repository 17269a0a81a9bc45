import type { TraceContext } from "./trace-context.ts";

/** Something that took time and is over. */
export interface Span {
  name: string;
  kind: "server" | "consumer" | "internal";
  context: TraceContext;
  /** Of the span that it is part of; undefined at the head of a trace. */
  parentSpanId: string | undefined;
  start: Date;
  end: Date;
  /** Names and reasons; nothing that a sender, an agent or a Secret says. */
  attributes: Readonly<Record<string, string | number>>;
  /** The reason, where it is a failure. */
  failure?: string | undefined;
}
