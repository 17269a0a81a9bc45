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
  /** No session failed, and a person cancelled at least one; the Run says nothing about the automation's health. */
  isCancelled?: boolean;
}

/** Whether a session failed: one is the Run's strike, whatever the outcomes of the others are. A cancelled one has not. */
export function hasFailure(outcomes: readonly SessionOutcome[]): boolean {
  return outcomes.some(({ state, reason }) => state === "failed" && reason !== reasons.cancelled);
}

/** The Run's verdict once every session has ended: completed only if all of them are. */
export function foldVerdict(outcomes: readonly SessionOutcome[]): Verdict | undefined {
  if (outcomes.some(({ state }) => state === "going")) return undefined;
  const failed = outcomes.filter(({ state }) => state === "failed");
  const [first] = failed;
  if (!first) return { succeeded: true, reason: reasons.completed, message: completedMessage(outcomes) };
  const isCancelled = !hasFailure(outcomes);
  if (outcomes.length === 1) return { succeeded: false, reason: first.reason, message: first.message, isCancelled };
  const reason = sharedReason(outcomes, failed);
  return { succeeded: false, reason, message: failedMessage(outcomes, failed), isCancelled };
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
