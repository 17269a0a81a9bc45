import { firstCharacters } from "../../lib/characters.ts";
import { conditionTypes, reasons, type Result, type Run, type RunStatus } from "../../api/v1alpha1/index.ts";
import { type Mark, withMarks, withoutConditions } from "../../domain/conditions.ts";
import { type Deadline, deadlineAfter, shownDeadline } from "../../domain/clocks/deadline.ts";
import { startDeadlineMs, sweepGraceMs } from "../../domain/clocks/limits.ts";
import { succeededOf } from "../../domain/runs/run-state.ts";
import type { PendingLimit } from "./facts.ts";
import { shownDuration } from "../../lib/shown-duration.ts";
import type { SessionOutcome, Verdict } from "./verdict.ts";

type RunSession = NonNullable<RunStatus["sessions"]>[number];

/** Characters of a condition message; texts of agents and servers may be longer. */
const longestMessage = 1_024;

/** When a Run that was not seen before is too old to start, so that restored or re-applied Runs never start again. */
export function startDeadline(triggerTime: string): Deadline {
  return deadlineAfter(triggerTime, startDeadlineMs, reasons.startDeadlineExceeded);
}

/** When a Run that is Pending since it was first seen is not tried again. */
export function pendingDeadline(pendingSince: string, { seconds }: PendingLimit): Deadline {
  return deadlineAfter(pendingSince, seconds * 1_000, reasons.startDeadlineExceeded);
}

/** When a started Run without a result fails; `executionBudgetMs` is the budget it started with. */
export function sweepDeadline(startTime: string, executionBudgetMs: number): Deadline {
  return deadlineAfter(startTime, executionBudgetMs + sweepGraceMs, reasons.executionTimeout);
}

/** The status of a Run whose sessions exist and whose clock runs from now on. */
export function startedStatus(
  run: Run,
  { sessions, ...fixed }: { sessions: readonly RunSession[]; executionBudgetMs: number; automationGeneration?: number },
  now: Date,
): RunStatus {
  const startTime = now.toISOString();
  return {
    ...going(run, now, sessions.length),
    startTime,
    ...fixed,
    sessions: [...sessions],
    nextDeadline: shownDeadline(sweepDeadline(startTime, fixed.executionBudgetMs)),
  };
}

/** The status of a started Run under way, without what an earlier failed attempt wrote. */
export function goingStatus(run: Run, outcomes: readonly SessionOutcome[], now: Date): RunStatus {
  const sessions = run.status?.sessions ?? [];
  return { ...run.status, ...going(run, now, sessions.length), sessions: withOutcomes(sessions, outcomes) };
}

/** The status of a started Run after a failed pass that is repeated. */
export function retryingStatus(run: Run, message: string, now: Date): RunStatus {
  const waiting = mark(conditionTypes.succeeded, "Unknown", reasons.running, runningMessage(run));
  return { ...run.status, ...marked(run, [waiting, retrying(message)], now) };
}

/** The status of a Run whose start failed and is tried again, until the limit if there is one. */
export function pendingStatus(run: Run, message: string, limit: PendingLimit | undefined, now: Date): RunStatus {
  const since = succeededOf(run)?.lastTransitionTime ?? now.toISOString();
  const nextDeadline = limit && shownDeadline(pendingDeadline(since, limit));
  const until = nextDeadline ? `until ${nextDeadline.time} (${limitText(limit)})` : "until it starts";
  const pending = mark(conditionTypes.succeeded, "Unknown", reasons.pending, `${message}; it is tried again ${until}`);
  return { ...run.status, ...marked(run, [pending, retrying(message)], now), nextDeadline };
}

/** A limit as people find it. */
export function limitText({ className, seconds }: PendingLimit): string {
  return `maxPendingSeconds ${seconds} of SandboxClass ${className}`;
}

function retrying(message: string): Mark {
  return mark(conditionTypes.reconciling, "True", reasons.progressingWithRetry, message);
}

/** The status of a Run that never started; `cause` is the exact reason beside the state Skipped. */
export function skippedStatus(run: Run, cause: string, message: string, now: Date): RunStatus {
  return neverStartedStatus(run, { cause, message: `${cause}: ${message}` }, now);
}

/** The same, with the whole message. */
export function neverStartedStatus(
  run: Run,
  { cause, message }: { cause: string; message: string },
  now: Date,
): RunStatus {
  return { ...run.status, ...settled(run, { succeeded: false, reason: reasons.skipped, message }, now, cause) };
}

/** The status of a Run that has ended, with the outcomes of its sessions. */
export function endedStatus(
  run: Run,
  verdict: Verdict,
  { outcomes, result, now }: { outcomes: readonly SessionOutcome[]; result: Result | undefined; now: Date },
): RunStatus {
  const sessions = run.status?.sessions && withOutcomes(run.status.sessions, outcomes);
  return { ...run.status, ...settled(run, verdict, now, verdict.reason), sessions, result };
}

/** The sessions with their outcomes; the result of a single session is the Run's and is not repeated. */
function withOutcomes(sessions: readonly RunSession[], outcomes: readonly SessionOutcome[]): RunSession[] {
  return sessions.map((session) => {
    const outcome = outcomes.find((one) => one.session === session.name && one.state !== "going");
    if (!outcome) return session;
    const { reason, result } = outcome;
    return { ...session, reason, ...(sessions.length > 1 && result ? { result } : {}) };
  });
}

function going(run: Run, now: Date, sessions: number): RunStatus {
  const message = runningMessage(run, sessions);
  const marks = [
    mark(conditionTypes.succeeded, "Unknown", reasons.running, message),
    mark(conditionTypes.reconciling, "True", reasons.running, message),
  ];
  return marked(run, marks, now);
}

function runningMessage(run: Run, sessions = run.status?.sessions?.length ?? 0): string {
  return sessions === 1 ? "Working in 1 session" : `Working in ${sessions} sessions`;
}

function settled(run: Run, verdict: Verdict, now: Date, cause: string): RunStatus {
  const { succeeded, reason } = verdict;
  const { startTime } = run.status ?? {};
  const message = firstCharacters(verdict.message, longestMessage);
  const verdictMark = mark(conditionTypes.succeeded, succeeded ? "True" : "False", reason, message);
  const stalled = succeeded ? [] : [mark(conditionTypes.stalled, "True", cause, message)];
  const { conditions, ...observed } = marked(run, [verdictMark, ...stalled], now);
  return {
    ...observed,
    completionTime: now.toISOString(),
    ...(startTime !== undefined && { took: shownDuration(now.getTime() - Date.parse(startTime)) }),
    nextDeadline: undefined,
    conditions: withoutConditions(conditions, [conditionTypes.reconciling]),
  };
}

function marked(run: Run, marks: readonly Mark[], now: Date): Pick<RunStatus, "conditions" | "observedGeneration"> {
  const { generation } = run.metadata;
  return { observedGeneration: generation, conditions: withMarks(run.status?.conditions, marks, { now, generation }) };
}

function mark(type: string, status: Mark["status"], reason: string, message: string): Mark {
  return { type, status, reason, message };
}
