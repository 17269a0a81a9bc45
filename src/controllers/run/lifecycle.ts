import { firstCharacters } from "../../lib/characters.ts";
import {
  conditionTypes,
  reasons,
  type Result,
  type Run,
  type RunStatus,
  type PromptStatus,
  type Prompt,
} from "../../api/v1alpha1/index.ts";
import { type Mark, withMarks, withoutConditions } from "../../domain/conditions.ts";
import { shownDeadline } from "../../domain/clocks/deadline.ts";
import { sweepDeadline } from "./run-clocks.ts";
import type { SessionOutcome, Verdict } from "./verdict.ts";

type RunSession = NonNullable<RunStatus["sessions"]>[number];

/** Characters of a condition message; texts of agents and servers may be longer. */
const longestMessage = 1_024;

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

/** The status of a Run after a failed pass that is repeated. */
export function retryingStatus(run: Run, message: string, now: Date): RunStatus {
  const retrying = mark(conditionTypes.reconciling, "True", reasons.progressingWithRetry, message);
  const isStarted = run.status?.startTime !== undefined;
  const reason = isStarted ? reasons.running : reasons.pending;
  const waiting = mark(conditionTypes.succeeded, "Unknown", reason, isStarted ? runningMessage(run) : message);
  return { ...run.status, ...observed(run), conditions: marked(run, [waiting, retrying], now) };
}

/** The status of a Run that never started; `cause` is the exact reason beside the state Skipped. */
export function skippedStatus(run: Run, cause: string, message: string, now: Date): RunStatus {
  const verdict = { succeeded: false, reason: reasons.skipped, message: `${cause}: ${message}` };
  return { ...run.status, ...settled(run, verdict, now, cause) };
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

/** The status of a Prompt without a verdict whose Run has ended; the reason is the Run's. */
export function leftPrompt(prompt: Prompt, reason: string, now: Date): PromptStatus {
  const { conditions } = prompt.status ?? {};
  const message = "The Run ended before a result came";
  const marks = [
    mark(conditionTypes.succeeded, "False", reason, message),
    mark(conditionTypes.stalled, "True", reason, message),
  ];
  const generation = prompt.metadata.generation;
  return {
    ...prompt.status,
    observedGeneration: generation,
    completionTime: now.toISOString(),
    conditions: withMarks(withoutConditions(conditions, [conditionTypes.reconciling]), marks, { now, generation }),
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

function going(run: Run, now: Date, sessions: number): RunStatus {
  const message = runningMessage(run, sessions);
  const marks = [
    mark(conditionTypes.succeeded, "Unknown", reasons.running, message),
    mark(conditionTypes.reconciling, "True", reasons.running, message),
  ];
  return { ...observed(run), conditions: marked(run, marks, now) };
}

function runningMessage(run: Run, sessions = run.status?.sessions?.length ?? 0): string {
  return sessions === 1 ? "Working in 1 session" : `Working in ${sessions} sessions`;
}

function settled(run: Run, verdict: Verdict, now: Date, cause: string): RunStatus {
  const { succeeded, reason } = verdict;
  const message = firstCharacters(verdict.message, longestMessage);
  const verdictMark = mark(conditionTypes.succeeded, succeeded ? "True" : "False", reason, message);
  const stalled = succeeded ? [] : [mark(conditionTypes.stalled, "True", cause, message)];
  return {
    ...observed(run),
    completionTime: now.toISOString(),
    nextDeadline: undefined,
    conditions: withoutConditions(marked(run, [verdictMark, ...stalled], now), [conditionTypes.reconciling]),
  };
}

function observed(run: Run): Pick<RunStatus, "observedGeneration"> {
  return { observedGeneration: run.metadata.generation };
}

function marked(run: Run, marks: readonly Mark[], now: Date): RunStatus["conditions"] {
  return withMarks(run.status?.conditions, marks, { now, generation: run.metadata.generation });
}

function mark(type: string, status: Mark["status"], reason: string, message: string): Mark {
  return { type, status, reason, message };
}
