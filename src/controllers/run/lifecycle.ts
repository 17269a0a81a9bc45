import { cutMiddle } from "../../lib/characters.ts";
import {
  conditionTypes,
  reasons,
  type Result,
  type Run,
  type RunStatus,
  type Session,
} from "../../api/v1alpha1/index.ts";
import { findCondition, type Mark, withMarks, withoutConditions } from "../../domain/conditions.ts";
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

/** When a Run that is Pending since it was first seen is not tried again, or one of its sessions that waits for a place. */
export function pendingDeadline(pendingSince: string, { seconds }: PendingLimit): Deadline {
  return deadlineAfter(pendingSince, seconds * 1_000, reasons.startDeadlineExceeded);
}

/** When a started Run without a result fails; `executionBudgetMs` is the budget it started with, which counts from `since`. */
export function sweepDeadline(since: string, executionBudgetMs: number): Deadline {
  return deadlineAfter(since, executionBudgetMs + sweepGraceMs, reasons.executionTimeout);
}

/** The status of a Run whose sessions exist and whose clock runs from now on. */
export function startedStatus(
  run: Run,
  { sessions, ...fixed }: { sessions: readonly RunSession[]; executionBudgetMs: number; automationGeneration?: number },
  now: Date,
): RunStatus {
  const startTime = now.toISOString();
  return {
    ...going(run, now, runningMessage(sessions.length)),
    startTime,
    ...fixed,
    sessions: [...sessions],
    nextDeadline: shownDeadline(sweepDeadline(startTime, fixed.executionBudgetMs)),
  };
}

/** What a Run under way comes to. */
interface Progress {
  outcomes: readonly SessionOutcome[];
  /** Sessions that wait for a place. */
  queued: readonly Session[];
  /** Sessions whose sandbox does not start. */
  held: readonly Session[];
  /** The first that ends one of its sessions; undefined: nothing does. */
  deadline: Deadline | undefined;
}

/** The status of a started Run under way, without what an earlier failed attempt wrote. */
export function goingStatus(run: Run, { outcomes, queued, held, deadline }: Progress, now: Date): RunStatus {
  const sessions = run.status?.sessions ?? [];
  return {
    ...run.status,
    ...going(run, now, runningMessage(sessions.length, queued, held)),
    sessions: withOutcomes(sessions, outcomes),
    nextDeadline: deadline && shownDeadline(deadline),
  };
}

/** The status of a started Run after a failed pass that is repeated. */
export function retryingStatus(run: Run, message: string, now: Date): RunStatus {
  const waiting = mark(
    conditionTypes.succeeded,
    "Unknown",
    reasons.running,
    runningMessage(run.status?.sessions?.length ?? 0),
  );
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

/** Why a session is given up that waited for a place, for people. */
export function waitedMessage(session: Session, limit: PendingLimit): string {
  return `it was Queued for ${limitText(limit)}: ${readyMessage(session)}`;
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
  const { startTime, sessions, ...status } = run.status ?? {};
  // Where no session began the Run has not either.
  const begun = verdict.reason === reasons.skipped ? status : { startTime, ...status };
  return {
    ...begun,
    ...settled({ ...run, status: begun }, verdict, now, verdict.cause ?? verdict.reason),
    sessions: sessions && withOutcomes(sessions, outcomes),
    result,
  };
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

function going(run: Run, now: Date, message: string): RunStatus {
  const marks = [
    mark(conditionTypes.succeeded, "Unknown", reasons.running, message),
    mark(conditionTypes.reconciling, "True", reasons.running, message),
  ];
  return marked(run, marks, now);
}

function runningMessage(sessions: number, queued: readonly Session[] = [], held: readonly Session[] = []): string {
  const working = sessions === 1 ? "Working in 1 session" : `Working in ${sessions} sessions`;
  const [some, said] = queued.length > 0 ? [queued, queuedMessage(queued)] : [held, heldMessage(held)];
  if (some.length === 0) return working;
  return cutMiddle(some.length === sessions ? said : `${working}; ${said}`, longestMessage);
}

function queuedMessage([first, ...more]: readonly Session[]): string {
  const which = more.length === 0 ? `Session ${nameOf(first)} waits` : `${more.length + 1} sessions wait`;
  return `${which} for a place: ${readyMessage(first)}`;
}

function heldMessage([first]: readonly Session[]): string {
  return `the sandbox of Session ${nameOf(first)} does not start: ${readyMessage(first)}`;
}

function nameOf(session: Session | undefined): string {
  return session?.metadata.name ?? "";
}

function readyMessage(session: Session | undefined): string {
  return findCondition(session?.status?.conditions, conditionTypes.ready)?.message ?? "";
}

function settled(run: Run, verdict: Verdict, now: Date, cause: string): RunStatus {
  const { succeeded, reason } = verdict;
  const { startTime } = run.status ?? {};
  const message = cutMiddle(verdict.message, longestMessage);
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
