import type { Result } from "../../api/v1alpha1/outcome.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";

/** The outcome of one session of a Run: that of its first prompt. */
export interface SessionOutcome {
  session: string;
  state: "going" | "completed" | "failed";
  /** Of the first prompt's `Succeeded` condition. */
  reason: string;
  message: string;
  result?: Result | undefined;
}

/** The verdict on a whole Run. */
export interface Verdict {
  succeeded: boolean;
  reason: string;
  message: string;
  /** Reason of the condition `Stalled`, where it is another one. */
  cause?: string;
  /** No session failed, and at least one was cancelled or never had a place; the Run says nothing about the automation's health. */
  isHarmless?: boolean;
}

/** What ends a session that has not failed: a person has cancelled it, or it waited too long for a place. */
const harmless: ReadonlySet<string> = new Set([reasons.cancelled, reasons.startDeadlineExceeded]);

/** Whether a session failed: one is the Run's strike, whatever the outcomes of the others are. */
export function hasFailure(outcomes: readonly SessionOutcome[]): boolean {
  return outcomes.some(({ state, reason }) => state === "failed" && !harmless.has(reason));
}

/** The Run's verdict once every session has ended: completed only if all of them are. */
export function foldVerdict(outcomes: readonly SessionOutcome[]): Verdict | undefined {
  if (outcomes.some(({ state }) => state === "going")) return undefined;
  const failed = outcomes.filter(({ state }) => state === "failed");
  const [first] = failed;
  if (!first) return { succeeded: true, reason: reasons.completed, message: completedMessage(outcomes) };
  if (outcomes.every(neverBegan)) return neverBegun(first);
  const isHarmless = !hasFailure(outcomes);
  if (outcomes.length === 1) return { succeeded: false, reason: first.reason, message: first.message, isHarmless };
  const reason = sharedReason(outcomes, failed);
  return { succeeded: false, reason, message: failedMessage(outcomes, failed), isHarmless };
}

function neverBegan({ state, reason }: SessionOutcome): boolean {
  return state === "failed" && reason === reasons.startDeadlineExceeded;
}

/** As of a Run that was Pending for too long. */
function neverBegun({ reason: cause, message }: SessionOutcome): Verdict {
  return { succeeded: false, reason: reasons.skipped, cause, message: `${cause}: ${message}`, isHarmless: true };
}

/** The first result that a session's agent reported. */
export function resultOf(outcomes: readonly SessionOutcome[]): Result | undefined {
  return outcomes.find(({ result }) => result !== undefined)?.result;
}

/** Among several causes a session without a result in time decides, so that a sweep cut short by a crash has the same reason. */
function sharedReason(outcomes: readonly SessionOutcome[], failed: readonly SessionOutcome[]): string {
  if (failed.length < outcomes.length) return reasons.partiallyFailed;
  const causes = new Set(failed.map(({ reason }) => reason));
  if (causes.has(reasons.executionTimeout)) return reasons.executionTimeout;
  if (!hasFailure(outcomes)) return reasons.cancelled;
  const [only] = causes;
  return causes.size === 1 && only !== undefined ? only : reasons.failed;
}

function completedMessage(outcomes: readonly SessionOutcome[]): string {
  return outcomes.length === 1 ? (outcomes[0]?.message ?? "") : `All ${outcomes.length} sessions completed`;
}

function failedMessage(outcomes: readonly SessionOutcome[], failed: readonly SessionOutcome[]): string {
  const causes = failed.map(({ session, reason }) => `${session} (${reason})`).join(", ");
  return `${failed.length} of ${outcomes.length} sessions failed: ${causes}`;
}
