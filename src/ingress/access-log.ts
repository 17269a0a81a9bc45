import type { Logger } from "../telemetry/logger.ts";
import type { AnswerFacts } from "./answer-facts.ts";

/**
 * Writes one line for each answered request: at info, or at warn with the error for answers 5xx. Lines at info have the fields
 * that are listed here and no other, none of them of a header or a body; so they need no search for what must not be logged, which
 * takes longer than all else about a line.
 */
export function accessLog(logger: Logger): (facts: AnswerFacts) => void {
  const unsearched = logger.child({}, { redact: [] });
  return ({ error, ...facts }) => {
    const { deliveryId, method, status, outcome, cause, automation, bytes, traceId } = facts;
    const durationMs = Math.round(facts.durationMs * 10) / 10;
    const line = { status, outcome, cause, deliveryId, method, automation, bytes, durationMs, traceId };
    if (status < 500) unsearched.info(line, "Answered request");
    else logger.warn({ ...line, err: error }, "Answered request");
  };
}
