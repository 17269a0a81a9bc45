import { isConflict, isTooManyRequests } from "./errors.ts";
import { NotLeadingError, TerminalError } from "./outcome.ts";

/** What a failed reconcile means; it alone decides retry, log level, event and condition. */
export type FailureKind = "terminal" | "conflict" | "error" | "stopped";

/** `stopped` = the process is ending or no longer leads, so whoever comes next takes over. */
export function failureKindOf(error: unknown): FailureKind {
  if (error instanceof TerminalError) return "terminal";
  if (error instanceof NotLeadingError) return "stopped";
  return isConflict(error) ? "conflict" : "error";
}

/** Milliseconds that the API server asked to wait, 0 when it asked for none. */
export function askedDelayMs(error: unknown): number {
  return isTooManyRequests(error) ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
}
