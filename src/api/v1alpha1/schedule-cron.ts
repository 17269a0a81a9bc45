import { type Cron, parseCron } from "../../lib/cron/cron.ts";
import { CronError } from "../../lib/cron/field.ts";
import { shortestGap } from "../../lib/cron/shortest-gap.ts";

/** Minutes that two slots of a schedule must be apart at least. */
export const shortestIntervalMinutes = 15;

/** Two slots of a schedule are too close. */
export class IntervalError extends Error {
  override readonly name = "IntervalError";
}

/** Parses a schedule's cron expression. @throws CronError, IntervalError */
export function parseScheduleCron(text: string): Cron {
  const cron = parseCron(text);
  const gap = shortestGap(cron);
  if (!gap || gap.minutes >= shortestIntervalMinutes) return cron;
  const { minutes, from, to } = gap;
  const distance = minutes === 1 ? "1 minute" : `${minutes} minutes`;
  throw new IntervalError(
    `slots at ${from} and ${to} are ${distance} apart and must be at least ${shortestIntervalMinutes} minutes apart`,
  );
}

/** What is wrong with a schedule's cron expression; undefined where nothing is. */
export function cronProblem(text: string): string | undefined {
  try {
    parseScheduleCron(text);
    return undefined;
  } catch (error) {
    if (error instanceof CronError || error instanceof IntervalError) return error.message;
    throw error;
  }
}
