import { createHash } from "node:crypto";

/** Identity of a span, as in W3C Trace Context. */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits, not all 0. */
  traceId: string;
  /** 16 lower-case hexadecimal digits, not all 0. */
  spanId: string;
  sampled: boolean;
}

const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Reads a `traceparent` of version 00; undefined for anything else, which the specification ignores. */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  const [, traceId = "", spanId = "", flags = ""] = form.exec(text ?? "") ?? [];
  const isValid = /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(spanId);
  return isValid ? { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 } : undefined;
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}

/** The trace id of this name: every process derives the same one. */
export function traceIdOf(name: string): string {
  return digest(`trace ${name}`, 32);
}

/** The span id of this name, so that a span that is exported twice is one. */
export function spanIdOf(name: string): string {
  return digest(`span ${name}`, 16);
}

function digest(name: string, digits: number): string {
  return createHash("sha256").update(name).digest("hex").slice(0, digits);
}
