import type { AnswerFacts } from "./answer-facts.ts";
import type { Logger } from "../telemetry/logger.ts";

/** One line for each request, told apart by level: what we could not do is a warning with its error. */
export function createAccessLog(logger: Logger): { answered(facts: AnswerFacts): void } {
  return {
    answered({ durationMs, error, ...facts }) {
      const line = { ...facts, durationMs: Math.round(durationMs * 10) / 10 };
      if (facts.status < 500) logger.info(line, "Answered request");
      else logger.warn({ ...line, err: error }, "Answered request");
    },
  };
}
