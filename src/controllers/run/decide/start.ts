import {
  isDeliveryType,
  annotations,
  type Automation,
  conditionTypes,
  labels,
  reasons,
  type Run,
  type Session,
} from "../../../api/v1alpha1/index.ts";
import { hasPassed, lookAfterMs } from "../../../domain/clocks/deadline.ts";
import { pauseReason } from "../../../domain/pauses/pause-status.ts";
import { findCondition } from "../../../domain/conditions.ts";
import { acceptedAt, firedAt, succeededOf } from "../../../domain/runs/run-state.ts";
import { executionTimeoutMs, type OperatorSettings } from "../../../domain/settings/execution-timeout.ts";
import { skippedBefore } from "../../../domain/runs/skipped-run.ts";
import { specProblem } from "../../spec-problem.ts";
import type { RunDecision, RunEffect } from "../effects.ts";
import type { StartFacts } from "../facts.ts";
import {
  limitText,
  neverStartedStatus,
  pendingDeadline,
  skippedStatus,
  startDeadline,
  startedStatus,
  sweepDeadline,
} from "../lifecycle.ts";
import { orphanedBecause, orphanedKeptMs } from "../ownership.ts";
import { isSpecifiedAlike, makeSession, shownTarget, targetsOf } from "../resources.ts";
import { freeKey } from "./free-key.ts";
import { claim, release } from "./tally.ts";

/** Why a Run does not start. */
interface Obstacle {
  /** Reason of the condition `Stalled`. */
  cause: string;
  message: string;
}

/** Decides whether a Run that has not started does, waits for its slot to close, or is skipped. */
export function decideStart(facts: StartFacts, now: Date, operator: OperatorSettings): RunDecision {
  const { run, automation } = facts;
  const gone = automationGone(facts);
  if (gone || !automation) return { effects: skip(facts, gone ?? unknown, now), requeueMs: orphanedKeptMs };
  const skipped = skippedBefore(run);
  if (skipped) {
    return { effects: [{ kind: "writeRun", status: neverStartedStatus(run, skipped, new Date(skipped.time)) }] };
  }
  const obstacle = obstacleTo(facts, automation, now);
  const label = labelOf(facts, automation);
  if (obstacle) return { effects: [...label, ...skip(facts, obstacle, now)] };
  if (isSlotOpen(run, automation, now)) return { effects: [], requeueMs: slotClosesMs };
  return start({ ...facts, automation }, { label, now, operator });
}

function obstacleTo(facts: StartFacts, automation: Automation, now: Date): Obstacle | undefined {
  return (
    tooLate(facts, now) ??
    invalid(automation) ??
    otherTrigger(facts, automation) ??
    paused(facts, automation) ??
    concurrent(facts)
  );
}

/** How soon the slot is looked at again, in milliseconds. */
const slotClosesMs = 100;

/**
 * Whether the automation's status still shows the Run's slot as the next one. The automation controller, which made the
 * Run, is about to write that, and two writers at once would cost a refused write. A later slot may stay open for long,
 * as where a quota refuses its Run.
 */
function isSlotOpen(run: Run, { status }: Automation, now: Date): boolean {
  const { nextScheduleTime } = status ?? {};
  if (run.spec.trigger.type !== "Schedule" || nextScheduleTime === undefined) return false;
  return Date.parse(nextScheduleTime) <= Math.min(now.getTime(), Date.parse(acceptedAt(run)));
}

const unknown: Obstacle = { cause: reasons.automationNotFound, message: "there is no such Automation" };

function automationGone({ run, automation }: StartFacts): Obstacle | undefined {
  const { name } = run.spec.automationRef;
  const cause = orphanedBecause(run, automation);
  const messages = {
    [reasons.automationNotFound]: `there is no Automation ${name}`,
    [reasons.automationDeleted]: `Automation ${name} was deleted before the Run started`,
    [reasons.automationReplaced]: `Automation ${name} was replaced by another of this name before the Run started`,
  };
  if (cause) return { cause, message: messages[cause] };
  if (automation?.metadata.deletionTimestamp === undefined) return undefined;
  return { cause: reasons.automationDeleted, message: `Automation ${name} is being deleted` };
}

function tooLate({ run, pendingLimit }: StartFacts, now: Date): Obstacle | undefined {
  const cause = reasons.startDeadlineExceeded;
  const pending = succeededOf(run);
  if (pending) {
    if (!pendingLimit || !hasPassed(pendingDeadline(pending.lastTransitionTime, pendingLimit), now)) return undefined;
    const problem = findCondition(run.status?.conditions, conditionTypes.reconciling)?.message ?? "";
    return { cause, message: `it was Pending for ${limitText(pendingLimit)}: ${problem}` };
  }
  const fired = firedAt(run);
  if (!hasPassed(startDeadline(fired), now)) return undefined;
  return { cause, message: `it was accepted at ${fired} and first seen 6,000 seconds later or more` };
}

function invalid({ spec }: Automation): Obstacle | undefined {
  const message = specProblem(spec);
  return message === undefined ? undefined : { cause: reasons.invalidSpec, message };
}

/** The right to create Runs of one type, which the ingress has, fires no automation of another type. */
function otherTrigger({ run }: StartFacts, { spec }: Automation): Obstacle | undefined {
  const { type } = run.spec.trigger;
  if (type === "Manual" || type === spec.trigger.type) return undefined;
  const message = `the Run is of type ${type} and the Automation's trigger is of type ${spec.trigger.type}`;
  return { cause: reasons.triggerMismatch, message };
}

function paused({ run }: StartFacts, automation: Automation): Obstacle | undefined {
  const reason = pauseReason(automation);
  if (reason === undefined) return undefined;
  const isWanted = run.metadata.annotations?.[annotations.whilePaused] === "true";
  if (isWanted && run.spec.trigger.type === "Manual") return undefined;
  return { cause: reasons.automationPaused, message: `the Automation is paused (${reason})` };
}

function concurrent({ run, otherActive }: StartFacts): Obstacle | undefined {
  // Deliveries are events of their own and may overlap.
  if (isDeliveryType(run.spec.trigger.type) || otherActive === undefined) return undefined;
  return { cause: reasons.concurrentRunActive, message: `Run ${otherActive} of this Automation is active` };
}

function labelOf({ run }: StartFacts, automation: Automation): RunEffect[] {
  const { uid = "" } = automation.metadata;
  return run.metadata.labels?.[labels.automationUid] === uid ? [] : [{ kind: "labelRun", automationUid: uid }];
}

function skip(facts: StartFacts, { cause, message }: Obstacle, now: Date): RunEffect[] {
  const { run, automation, leftSessions } = facts;
  return [
    ...(automation ? release({ ...facts, automation, now }) : []),
    ...leftSessions.map((session) => ({ kind: "deleteSession" as const, session })),
    {
      kind: "writeRun",
      status: skippedStatus(run, cause, message, now),
      events: [{ on: "Run", type: "Warning", reason: cause, note: `Skipped: ${message}` }],
    },
    ...freeKey(run, cause),
  ];
}

function start(
  facts: StartFacts & { automation: Automation },
  { label, now, operator }: { label: RunEffect[]; now: Date; operator: OperatorSettings },
): RunDecision {
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
  const isExclusive = !isDeliveryType(run.spec.trigger.type);
  const isClaimed = automation.status?.active?.uid === run.metadata.uid;
  const note = `Started ${sessions.length === 1 ? "1 session" : `${sessions.length} sessions`} for generation ${generation} of Automation ${name}`;
  const effects: RunEffect[] = [
    ...label,
    ...(isExclusive && !isClaimed ? [claim({ ...facts, now })] : []),
    ...outdated(facts, wanted).map((session) => ({ kind: "deleteSession" as const, session })),
    // A session without a Prompt does nothing, so the Run's start is stored before any work begins. A session that is
    // missing later was deleted by a person and is not made a second time.
    ...wanted.map((session) => ({ kind: "createSession" as const, session })),
    {
      kind: "writeRun",
      status: startedStatus(run, { sessions, executionBudgetMs, automationGeneration: generation }, now),
      events: [{ on: "Run", type: "Normal", reason: reasons.running, note }],
    },
    ...wanted.map((session) => ({ kind: "createPrompt" as const, automation, session })),
  ];
  return { effects, requeueMs: lookAfterMs(sweepDeadline(now.toISOString(), executionBudgetMs).atMs, now) };
}

/** Sessions that an attempt which never stored the Run's start made for an earlier spec of the automation. */
function outdated({ leftSessions }: StartFacts, wanted: readonly Session[]): Session[] {
  return leftSessions.filter((left) => {
    const same = wanted.find(({ metadata }) => metadata.name === left.metadata.name);
    return !same || !isSpecifiedAlike(left, same);
  });
}
