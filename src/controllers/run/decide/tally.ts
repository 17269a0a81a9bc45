import { type Automation, type AutomationStatus, reasons, type Run } from "../../../api/v1alpha1/index.ts";
import { addStrike, clearStrikes, forgetRuns, tallyOf } from "../../../domain/pauses/tally.ts";
import { withTally } from "../../../domain/pauses/pause-status.ts";
import { activityOf, shownRun } from "../../automation-activity.ts";
import { isSettled } from "../../../domain/runs/run-state.ts";
import type { Verdict } from "../verdict.ts";
import type { RunEffect, RunEvent } from "../effects.ts";

export interface TallyFacts {
  run: Run;
  automation: Automation;
  /** All Runs of the automation. */
  runs: readonly Run[];
  now: Date;
}

/** Writes the Run into the status of its automation as the active one, before it starts. */
export function claim(facts: TallyFacts): RunEffect {
  const { run, automation } = facts;
  const { name = "", uid = "" } = run.metadata;
  const status: AutomationStatus = {
    ...statusWith(facts, tallyOf(automation)),
    active: { name, uid },
    ...activityOf([...others(facts), run]),
    lastRun: shownRun(run, reasons.running),
  };
  return { kind: "writeAutomation", automation, status };
}

/** Takes a Run that does not start out of the status of its automation, where it is the active one. */
export function release({ run, automation }: TallyFacts): RunEffect[] {
  if (automation.status?.active?.uid !== run.metadata.uid) return [];
  return [{ kind: "writeAutomation", automation, status: { ...automation.status, active: undefined } }];
}

/** Counts the failure of a Run whose other sessions go on. */
export function strikeEarly(facts: TallyFacts): RunEffect[] {
  const before = tallyOf(facts.automation);
  const after = addStrike(before, facts.run.metadata.uid ?? "");
  return before === after ? [] : [writeTally(facts, after, {})];
}

/**
 * Counts the Run's end in the automation's status, before the Run's own verdict is written: a strike, once, or the count
 * set back to 0; a Run that a person cancelled is neither. The status shows the Run as ended already, so that no write is needed after the verdict.
 */
export function countEnd(facts: TallyFacts, verdict: Verdict): RunEffect[] {
  const { run, automation } = facts;
  const uid = run.metadata.uid ?? "";
  const before = tallyOf(automation);
  const after = counted(before, uid, verdict);
  const isHolder = automation.status?.active?.uid === uid;
  if (before === after && !isHolder) return [];
  const { activeRuns } = activityOf(others(facts));
  const { lastRun } = activityOf([...others(facts), run]);
  const shown = lastRun?.name === run.metadata.name ? shownRun(run, verdict.reason) : lastRun;
  return [writeTally(facts, after, { activeRuns, lastRun: shown, ...(isHolder ? { active: undefined } : {}) })];
}

function counted(tally: Tally, uid: string, { succeeded, isHarmless }: Verdict): Tally {
  if (isHarmless) return tally;
  return succeeded ? clearStrikes(tally, uid) : addStrike(tally, uid);
}

function others({ run, runs }: TallyFacts): Run[] {
  return runs.filter((one) => one.metadata.uid !== run.metadata.uid);
}

type Tally = ReturnType<typeof tallyOf>;

function writeTally(facts: TallyFacts, tally: Tally, more: Partial<AutomationStatus>): RunEffect {
  const { automation } = facts;
  const isPaused = tally.pausedByFailures && !tallyOf(automation).pausedByFailures;
  const status = { ...statusWith(facts, tally), ...more };
  return { kind: "writeAutomation", automation, status, events: isPaused ? [pausedEvent] : [] };
}

const pausedEvent: RunEvent = {
  on: "Automation",
  type: "Warning",
  reason: reasons.tooManyFailures,
  note: "Paused after 3 consecutive failed Runs",
};

/**
 * The automation's status with the tally, without Runs whose verdict is written. One that the cache lacks may be counted before its
 * verdict; the automation controller finds out whether it is gone.
 */
function statusWith({ automation, runs, now }: TallyFacts, tally: Tally): AutomationStatus {
  const settled = new Set(runs.filter(isSettled).map((run) => run.metadata.uid));
  const kept = forgetRuns(tally, (uid) => settled.has(uid));
  return withTally(automation, kept, { now, generation: automation.metadata.generation });
}
