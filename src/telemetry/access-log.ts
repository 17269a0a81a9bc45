import type { Logger } from "./logger.ts";

/** One answered request of the ingress. */
export interface AccessFacts {
  deliveryId: string;
  method: string;
  /** 0 = the sender had gone. */
  status: number;
  outcome: string;
  cause?: string | undefined;
  automation?: string | undefined;
  /** Of the body that was read; the body itself is never logged, nor are keys and query strings. */
  bytes: number;
  durationMs: number;
  error?: unknown;
}

/** One line for each request, told apart by level: what we could not do is a warning with its error. */
export function createAccessLog(logger: Logger): { answered(facts: AccessFacts): void } {
  return {
    answered({ durationMs, error, ...facts }) {
      const line = { ...facts, durationMs: Math.round(durationMs * 10) / 10 };
      if (facts.status < 500) logger.info(line, "Answered request");
      else logger.warn({ ...line, err: error }, "Answered request");
    },
  };
}
