import { longestQueue } from "../../../domain/prompts/queue-limit.ts";
import type { AttemptCap } from "../../../domain/pull-requests/autofix-settings.ts";

/** What is known of a session when it is asked to take a prompt. */
export interface SessionRoom {
  isClosed: boolean;
  isBudgetExhausted: boolean;
  /** Prompts that have not ended. */
  unfinished: number;
}

export type AdmissionRefusal = "SessionClosed" | "CostLimitReached" | "QueueFull" | "AttemptLimit";

const windowMs = 86_400_000;

/**
 * Why a session takes no more feedback on a pull request; `admitted` are the times of what was admitted on it before. Events of a
 * pull request are handled one after the other, so that two cannot pass as one.
 */
export function admissionRefusal(
  { isClosed, isBudgetExhausted, unfinished }: SessionRoom,
  { admitted, cap }: { admitted: readonly string[]; cap: AttemptCap },
  now: Date,
): AdmissionRefusal | undefined {
  if (isClosed) return "SessionClosed";
  if (isBudgetExhausted) return "CostLimitReached";
  if (unfinished >= longestQueue) return "QueueFull";
  const attempts = admitted.filter((time) => isAttempt(time, now));
  return cap !== "Unlimited" && attempts.length >= cap ? "AttemptLimit" : undefined;
}

/** Whether what was admitted then counts as an attempt now. */
export function isAttempt(time: string, now: Date): boolean {
  return now.getTime() - Date.parse(time) <= windowMs;
}
