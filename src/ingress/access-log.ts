import type { AnswerFacts } from "./answer-facts.ts";
import type { Logger } from "../telemetry/logger.ts";

/** Logs one line per answered request: at info, or at warn with the error for 5xx answers. */
export function createAccessLog(logger: Logger): { answered(facts: AnswerFacts): void } {
  return {
    answered({ durationMs, error, ...facts }) {
      const line = { ...facts, durationMs: Math.round(durationMs * 10) / 10 };
      if (facts.status < 500) logger.info(line, "Answered request");
      else logger.warn({ ...line, err: error }, "Answered request");
    },
  };
}
