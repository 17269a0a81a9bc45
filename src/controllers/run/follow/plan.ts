import {
  type Automation,
  conditionTypes,
  type Prompt,
  reasons,
  type Run,
  type Session,
} from "../../../api/v1alpha1/index.ts";
import { hasPassed, lookAfterMs } from "../../../domain/clocks/deadline.ts";
import { sweepDeadline } from "../run-clocks.ts";
import { findCondition } from "../../../domain/conditions.ts";
import { foldVerdict, hasFailure, resultOf, type SessionOutcome, type Verdict } from "../verdict.ts";
import type { RunAction, RunEvent, RunPlan } from "../action.ts";
import { endedStatus, goingStatus, leftPrompt } from "../lifecycle.ts";
import { countEnd, strikeEarly, type TallyFacts } from "../tally-write.ts";

/** One session that the Run started, as it is now. */
export interface Child {
  name: string;
  /** Absent when it was deleted, which is only believed after a live read. */
  session: Session | undefined;
  /** The first prompt; likewise. */
  prompt: Prompt | undefined;
}

/** A Run that is under way. */
export interface FollowFacts {
  run: Run;
  /** Undefined when it is gone for good or another one has its name. */
  automation: Automation | undefined;
  runs: readonly Run[];
  children: readonly Child[];
}

/** Brings a started Run on: missing first prompts, then the verdict when its sessions have one or time is up. */
export function planFollow(facts: FollowFacts, now: Date): RunPlan {
  const { run, automation } = facts;
  if (!automation) return { actions: [{ kind: "deleteRun" }] };
  const tally = { ...facts, automation, now };
  const outcomes = outcomesOf(facts);
  const verdict = foldVerdict(outcomes);
  if (verdict) return { actions: end(tally, verdict, outcomes) };
  const deadline = sweepDeadline(run.status?.startTime ?? now.toISOString(), run.status?.executionBudgetMs ?? 0);
  if (hasPassed(deadline, now)) return { actions: sweep(tally, facts.children, outcomes) };
  const waiting: RunAction[] = [
    ...unasked(facts).map(({ name }) => ({ kind: "createPrompt" as const, automation, session: name })),
    { kind: "writeRun", status: goingStatus(run, outcomes, now) },
  ];
  // One failed session is the Run's strike; it is not held back until the others have ended.
  const counted = hasFailure(outcomes) ? strikeEarly(tally) : [];
  return { actions: [...counted, ...waiting], requeueMs: lookAfterMs(deadline.atMs, now) };
}

/** Ends a Run with a verdict that does not come from its sessions, whether or not it was started; none of them goes on. */
export function planGiveUp(facts: FollowFacts, verdict: Verdict, now: Date): RunPlan {
  const { run, automation, children } = facts;
  const outcomes = outcomesOf(facts);
  const settle = settleGoing(children, outcomes, { reason: verdict.reason, now });
  const ended = outcomes.filter(({ state }) => state !== "going");
  if (automation) return { actions: [...settle, ...end({ ...facts, automation, now }, verdict, ended)] };
  const status = endedStatus(run, verdict, { outcomes: ended, result: undefined, now });
  return { actions: [...settle, { kind: "writeRun", status }] };
}

/**
 * Whether a first prompt is missing that only this generation of the automation could give: the controller ended between
 * the Run's start and the prompt, and the automation has been changed since.
 */
export function isOutdated({ run, automation, children }: Omit<FollowFacts, "runs">): boolean {
  return automation?.metadata.generation !== run.status?.automationGeneration && children.some(needsPrompt);
}

/** The sessions whose first prompt was never made and still can be. */
function unasked(facts: FollowFacts): Child[] {
  return isOutdated(facts) ? [] : facts.children.filter(needsPrompt);
}

/** The first prompt was never made: the controller ended between the Run's start and it. */
function needsPrompt({ session, prompt }: Child): boolean {
  return prompt === undefined && session !== undefined && !hasWorked(session);
}

function hasWorked({ status, metadata }: Session): boolean {
  const isUsed =
    status?.sandbox !== undefined || status?.currentPrompt !== undefined || (status?.promptsEnded ?? 0) > 0;
  return isUsed || metadata.deletionTimestamp !== undefined;
}

function outcomesOf(facts: FollowFacts): SessionOutcome[] {
  const unpromptedState = isOutdated(facts) ? outdated : going;
  return facts.children.map((child) => (needsPrompt(child) ? unpromptedState(child.name) : outcomeOf(child)));
}

function outcomeOf({ name, session, prompt }: Child): SessionOutcome {
  if (!session || session.metadata.deletionTimestamp !== undefined) return deleted(name, `Session ${name} was deleted`);
  if (!prompt) return deleted(name, `The first Prompt of Session ${name} was deleted`);
  const succeeded = findCondition(prompt.status?.conditions, conditionTypes.succeeded);
  if (!succeeded || succeeded.status === "Unknown") return going(name);
  const state = succeeded.status === "True" ? "completed" : "failed";
  return { session: name, state, reason: succeeded.reason, message: succeeded.message, result: prompt.status?.result };
}

function going(session: string): SessionOutcome {
  return { session, state: "going", reason: reasons.running, message: "" };
}

function outdated(session: string): SessionOutcome {
  const message = "The Automation was changed before the first prompt, while no controller ran";
  return { session, state: "failed", reason: reasons.automationChanged, message };
}

function deleted(session: string, message: string): SessionOutcome {
  return { session, state: "failed", reason: reasons.cancelled, message };
}

function end(tally: TallyFacts, verdict: Verdict, outcomes: readonly SessionOutcome[]): RunAction[] {
  const { run, now } = tally;
  const status = endedStatus(run, verdict, { outcomes, result: resultOf(outcomes), now });
  return [...countEnd(tally, verdict), { kind: "writeRun", status, events: [endEvent(verdict)] }];
}

/**
 * No result in time. The prompts are settled first, so that their sessions stop and the next firing meets none of them;
 * whoever settled one of them meanwhile is heard, since the write then fails and the Run is looked at again.
 */
function sweep(tally: TallyFacts, children: readonly Child[], outcomes: readonly SessionOutcome[]): RunAction[] {
  const reason = reasons.executionTimeout;
  const swept = outcomes.map((outcome) => {
    return outcome.state === "going" ? { ...outcome, state: "failed" as const, reason } : outcome;
  });
  const verdict = { succeeded: false, reason: foldVerdict(swept)?.reason ?? reason, message: sweptMessage };
  return [...settleGoing(children, outcomes, { reason, now: tally.now }), ...end(tally, verdict, swept)];
}

const sweptMessage = "No result came within the execution budget and 100 minutes";

function settleGoing(
  children: readonly Child[],
  outcomes: readonly SessionOutcome[],
  { reason, now }: { reason: string; now: Date },
): RunAction[] {
  return children.flatMap(({ prompt }, index) => {
    if (!prompt || outcomes[index]?.state !== "going") return [];
    return [{ kind: "settlePrompt" as const, prompt, status: leftPrompt(prompt, reason, now) }];
  });
}

function endEvent({ succeeded, reason, message }: Verdict): RunEvent {
  return { on: "Run", type: succeeded ? "Normal" : "Warning", reason, note: message || reason };
}
