import { isConflict } from "./errors.ts";

/** How a reconcile ended well: settled, or to be looked at again at a known instant. */
export type Outcome = { kind: "done" } | { kind: "requeueAfter"; delayMs: number };

export const done: Outcome = { kind: "done" };

/** Settled until then, or to be looked at again at once (0); an event brings the key back earlier. */
export function requeueAfter(delayMs: number): Outcome {
  return { kind: "requeueAfter", delayMs };
}

/** Cannot work until a person changes something: not retried. `reason` is the condition's, in CamelCase. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** This process may not write any more, because it can no longer be sure that it leads. */
export class NotLeadingError extends Error {
  override readonly name = "NotLeadingError";
}

/** Kind of a failed reconcile, which decides retry, log level, event and condition. */
export type FailureKind = "terminal" | "conflict" | "error" | "stopped";

/** `stopped` = the process ends or no longer leads, so the next leader takes over. */
export function failureKindOf(error: unknown): FailureKind {
  if (error instanceof TerminalError) return "terminal";
  if (error instanceof NotLeadingError) return "stopped";
  return isConflict(error) ? "conflict" : "error";
}
