import {
  annotations,
  type Automation,
  labels,
  reasons,
  type Run,
  type Session,
  type Settings,
} from "../../../api/v1alpha1/index.ts";
import { hasPassed, lookAfterMs } from "../../../domain/clocks/deadline.ts";
import { startDeadline, sweepDeadline } from "../run-clocks.ts";
import { pauseReason } from "../../../domain/pauses/pause-status.ts";
import { firedAt } from "../../../domain/runs/run-state.ts";
import { specProblem } from "../../spec-problem.ts";
import { executionTimeoutMs, type OperatorSettings } from "../../../domain/settings/execution-timeout.ts";
import type { RunAction, RunPlan } from "../action.ts";
import { skippedStatus, startedStatus } from "../lifecycle.ts";
import { orphanedBecause, orphanedKeptMs } from "../ownership.ts";
import { isSpecifiedAlike, makeSession, shownTarget, targetsOf } from "../resources.ts";
import { claim, release } from "../tally-write.ts";

/** What decides whether a Run starts; Run and Automation are read live. */
export interface StartFacts {
  run: Run;
  automation: Automation | undefined;
  /** All Runs of the automation. */
  runs: readonly Run[];
  /** Name of another active Run of the automation. */
  otherActive: string | undefined;
  /** Sessions of this Run that an earlier attempt made. */
  leftSessions: readonly Session[];
  /** Settings of the automation's targets, in their order. */
  targetSettings: readonly (Settings | undefined)[];
}

interface Refusal {
  cause: string;
  message: string;
}

/** Starts a Run that nobody has judged yet, or skips it with a reason. */
export function planStart(facts: StartFacts, now: Date, operator: OperatorSettings): RunPlan {
  const { run, automation } = facts;
  const gone = automationGone(facts);
  if (gone || !automation) return { actions: skip(facts, gone ?? unknown, now), requeueMs: orphanedKeptMs };
  const refusal = tooLate(facts, now) ?? invalid(automation) ?? paused(facts, automation) ?? concurrent(facts);
  const label = labelOf(facts, automation);
  if (refusal) return { actions: [...label, ...skip(facts, refusal, now)] };
  if (isSlotOpen(run, automation, now)) return { actions: [], requeueMs: slotClosesMs };
  return start({ ...facts, automation }, { label, now, operator });
}

/** How soon it is looked again whether the slot is closed. */
const slotClosesMs = 100;

/**
 * The status still shows the slot as the next one: who made the Run is about to write that, and two writers at once would
 * cost a refused write.
 */
function isSlotOpen({ spec }: Run, { status }: Automation, now: Date): boolean {
  const { nextScheduleTime } = status ?? {};
  return (
    spec.trigger.type === "Schedule" && nextScheduleTime !== undefined && Date.parse(nextScheduleTime) <= now.getTime()
  );
}

const unknown: Refusal = { cause: reasons.automationNotFound, message: "there is no such Automation" };

function automationGone({ run, automation }: StartFacts): Refusal | undefined {
  const { name } = run.spec.automationRef;
  const cause = orphanedBecause(run, automation);
  switch (cause) {
    case reasons.automationNotFound:
      return { cause, message: `there is no Automation ${name}` };
    case reasons.automationDeleted:
      return { cause, message: `Automation ${name} was deleted before the Run started` };
    case reasons.automationReplaced:
      return { cause, message: `Automation ${name} was replaced by another of this name before the Run started` };
    case undefined:
      if (automation?.metadata.deletionTimestamp === undefined) return undefined;
      return { cause: reasons.automationDeleted, message: `Automation ${name} is being deleted` };
  }
}

function tooLate({ run }: StartFacts, now: Date): Refusal | undefined {
  const fired = firedAt(run);
  if (!hasPassed(startDeadline(fired), now)) return undefined;
  return {
    cause: reasons.startDeadlineExceeded,
    message: `it was accepted at ${fired} and not started within 6,000 seconds`,
  };
}

function invalid({ spec }: Automation): Refusal | undefined {
  const message = specProblem(spec);
  return message === undefined ? undefined : { cause: reasons.invalidSpec, message };
}

function paused({ run }: StartFacts, automation: Automation): Refusal | undefined {
  const reason = pauseReason(automation);
  if (reason === undefined) return undefined;
  const isWanted = run.metadata.annotations?.[annotations.whilePaused] === "true";
  if (isWanted && run.spec.trigger.type === "Manual") return undefined;
  return { cause: reasons.automationPaused, message: `the Automation is paused (${reason})` };
}

function concurrent({ run, otherActive }: StartFacts): Refusal | undefined {
  // Deliveries are events of their own and may overlap.
  if (run.spec.trigger.type === "Webhook" || otherActive === undefined) return undefined;
  return { cause: reasons.concurrentRunActive, message: `Run ${otherActive} of this Automation is active` };
}

function labelOf({ run }: StartFacts, automation: Automation): RunAction[] {
  const { uid = "" } = automation.metadata;
  return run.metadata.labels?.[labels.automationUid] === uid ? [] : [{ kind: "labelRun", automationUid: uid }];
}

function skip(facts: StartFacts, { cause, message }: Refusal, now: Date): RunAction[] {
  const { run, automation, leftSessions } = facts;
  return [
    ...(automation ? release({ ...facts, automation, now }) : []),
    ...leftSessions.map((session) => ({ kind: "deleteSession" as const, session })),
    {
      kind: "writeRun",
      status: skippedStatus(run, cause, message, now),
      events: [{ on: "Run", type: "Warning", reason: cause, note: `Skipped: ${message}` }],
    },
  ];
}

function start(
  facts: StartFacts & { automation: Automation },
  { label, now, operator }: { label: RunAction[]; now: Date; operator: OperatorSettings },
): RunPlan {
  const { run, automation, targetSettings } = facts;
  const { name = "", generation = 0 } = automation.metadata;
  const targets = targetsOf(automation);
  const wanted = targets.map((_, index) => makeSession(run, automation, index));
  const sessions = targets.map((target, index) => ({
    name: wanted[index]?.metadata.name ?? "",
    target: shownTarget(target),
  }));
  const session = automation.spec.session.settings;
  const budgets = targets.map((_, index) => executionTimeoutMs(operator, [targetSettings[index], session]));
  const executionBudgetMs = Math.max(...budgets);
  const isExclusive = run.spec.trigger.type !== "Webhook";
  const isClaimed = automation.status?.active?.uid === run.metadata.uid;
  const note = `Started ${sessions.length === 1 ? "1 session" : `${sessions.length} sessions`} for generation ${generation} of Automation ${name}`;
  const actions: RunAction[] = [
    ...label,
    ...(isExclusive && !isClaimed ? [claim({ ...facts, now })] : []),
    ...outdated(facts, wanted).map((session) => ({ kind: "deleteSession" as const, session })),
    // A session without a Prompt does nothing, so the Run's start is stored before anything begins, and a started Run
    // whose session is gone was interfered with: nothing is ever made a second time.
    ...wanted.map((session) => ({ kind: "createSession" as const, session })),
    {
      kind: "writeRun",
      status: startedStatus(run, { sessions, executionBudgetMs, automationGeneration: generation }, now),
      events: [{ on: "Run", type: "Normal", reason: reasons.running, note }],
    },
    ...sessions.map(({ name }) => ({ kind: "createPrompt" as const, automation, session: name })),
  ];
  return { actions, requeueMs: lookAfterMs(sweepDeadline(now.toISOString(), executionBudgetMs).atMs, now) };
}

/** Sessions of an attempt that ended before the Run's start was stored, made for what the automation said then. */
function outdated({ leftSessions }: StartFacts, wanted: readonly Session[]): Session[] {
  return leftSessions.filter((left) => {
    const same = wanted.find(({ metadata }) => metadata.name === left.metadata.name);
    return !same || !isSpecifiedAlike(left, same);
  });
}
