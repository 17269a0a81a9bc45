import { isConflict, isTooManyRequests } from "./errors.ts";
import { NotLeadingError, TerminalError } from "./outcome.ts";

/** Kind of a failed reconcile, which decides retry, log level, event and condition. */
export type FailureKind = "terminal" | "conflict" | "error" | "stopped";

/** `stopped` = the process ends or no longer leads, so the next leader takes over. */
export function failureKindOf(error: unknown): FailureKind {
  if (error instanceof TerminalError) return "terminal";
  if (error instanceof NotLeadingError) return "stopped";
  return isConflict(error) ? "conflict" : "error";
}

/** Milliseconds of the API server's Retry-After; 0 without one. */
export function askedDelayMs(error: unknown): number {
  return isTooManyRequests(error) ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
}
