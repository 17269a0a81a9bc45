import {
  type Automation,
  conditionTypes,
  type Prompt,
  reasons,
  type Run,
  type Session,
} from "../../../api/v1alpha1/index.ts";
import { hasPassed, msUntil, sweepDeadline } from "../../../domain/clocks/index.ts";
import { findCondition } from "../../../domain/conditions/index.ts";
import { foldVerdict, hasFailure, resultOf, type SessionOutcome, type Verdict } from "../../../domain/runs/index.ts";
import type { RunAction, RunEvent, RunPlan } from "../action.ts";
import { endedStatus, goingStatus, timedOutPrompt } from "../lifecycle.ts";
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
  const { run, automation, children } = facts;
  if (!automation) return { actions: [{ kind: "deleteRun" }] };
  const tally = { ...facts, automation, now };
  const outcomes = children.map(outcomeOf);
  const verdict = foldVerdict(outcomes);
  if (verdict) return { actions: end(tally, verdict, outcomes) };
  const deadline = sweepDeadline(run.status?.startTime ?? now.toISOString(), run.status?.executionBudgetMs ?? 0);
  if (hasPassed(deadline, now)) return { actions: sweep(tally, children) };
  const waiting: RunAction[] = [
    ...children.filter(needsPrompt).map(({ name }) => ({ kind: "createPrompt" as const, automation, session: name })),
    { kind: "writeRun", status: goingStatus(run, now) },
  ];
  // One failed session is the Run's strike; it is not held back until the others have ended.
  const counted = hasFailure(outcomes) ? strikeEarly(tally) : [];
  return { actions: [...counted, ...waiting], requeueMs: msUntil(deadline, now) };
}

/** Ends a Run with a verdict that does not come from its sessions, whether or not it was started. */
export function planGiveUp(facts: FollowFacts, verdict: Verdict, now: Date): RunPlan {
  const { run, automation, children } = facts;
  const outcomes = children.map(outcomeOf).filter(({ state }) => state !== "going");
  if (automation) return { actions: end({ ...facts, automation, now }, verdict, outcomes) };
  return { actions: [{ kind: "writeRun", status: endedStatus(run, verdict, { outcomes, result: undefined, now }) }] };
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

function outcomeOf(child: Child): SessionOutcome {
  const { name, session, prompt } = child;
  if (!session || session.metadata.deletionTimestamp !== undefined) return deleted(name, `Session ${name} was deleted`);
  if (!prompt) {
    return needsPrompt(child) ? going(name) : deleted(name, `The first Prompt of Session ${name} was deleted`);
  }
  const succeeded = findCondition(prompt.status?.conditions, conditionTypes.succeeded);
  if (!succeeded || succeeded.status === "Unknown") return going(name);
  const state = succeeded.status === "True" ? "completed" : "failed";
  return { session: name, state, reason: succeeded.reason, message: succeeded.message, result: prompt.status?.result };
}

function going(session: string): SessionOutcome {
  return { session, state: "going", reason: reasons.running, message: "" };
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
function sweep(tally: TallyFacts, children: readonly Child[]): RunAction[] {
  const unsettled = children.filter((child) => outcomeOf(child).state === "going");
  const settle = unsettled.flatMap(({ prompt }) =>
    prompt ? [{ kind: "settlePrompt" as const, prompt, status: timedOutPrompt(prompt, tally.now) }] : [],
  );
  const outcomes = children.map(outcomeOf).map((outcome) => {
    return outcome.state === "going"
      ? { ...outcome, state: "failed" as const, reason: reasons.executionTimeout }
      : outcome;
  });
  const verdict = { succeeded: false, reason: reasons.executionTimeout, message: sweptMessage };
  return [...settle, ...end(tally, verdict, outcomes)];
}

const sweptMessage = "No result came within the execution budget and 100 minutes";

function endEvent({ succeeded, reason, message }: Verdict): RunEvent {
  return { on: "Run", type: succeeded ? "Normal" : "Warning", reason, note: message || reason };
}
