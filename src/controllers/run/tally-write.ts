import { type Automation, type AutomationStatus, reasons, type Run } from "../../api/v1alpha1/index.ts";
import { addStrike, clearStrikes, forgetRuns, tallyOf } from "../../domain/pauses/tally.ts";
import { withTally } from "../../domain/pauses/pause-status.ts";
import { activityOf, shownRun } from "../automation-activity.ts";
import { isSettled } from "../../domain/runs/run-state.ts";
import type { Verdict } from "./verdict.ts";
import type { RunAction, RunEvent } from "./action.ts";

export interface TallyFacts {
  run: Run;
  automation: Automation;
  /** All Runs of the automation. */
  runs: readonly Run[];
  now: Date;
}

/** Names the Run as the one that holds the automation, before it starts. */
export function claim(facts: TallyFacts): RunAction {
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

/** Lets go of the automation where a Run that does not start after all holds it. */
export function release({ run, automation }: TallyFacts): RunAction[] {
  if (automation.status?.active?.uid !== run.metadata.uid) return [];
  return [{ kind: "writeAutomation", automation, status: { ...automation.status, active: undefined } }];
}

/** Counts the failure of a Run whose other sessions go on. */
export function strikeEarly(facts: TallyFacts): RunAction[] {
  const before = tallyOf(facts.automation);
  const after = addStrike(before, facts.run.metadata.uid ?? "");
  return before === after ? [] : [writeTally(facts, after, {})];
}

/**
 * Puts what the Run came to into the automation's status before the Run's own verdict: the strike, once, or the count
 * begun anew. It shows the Run as ended already, so that nothing is left to be written after the verdict.
 */
export function countEnd(facts: TallyFacts, verdict: Verdict): RunAction[] {
  const { run, automation } = facts;
  const uid = run.metadata.uid ?? "";
  const before = tallyOf(automation);
  const after = verdict.succeeded ? clearStrikes(before, uid) : addStrike(before, uid);
  const isHolder = automation.status?.active?.uid === uid;
  if (before === after && !isHolder) return [];
  const { activeRuns } = activityOf(others(facts));
  const { lastRun } = activityOf([...others(facts), run]);
  const shown = lastRun?.name === run.metadata.name ? shownRun(run, verdict.reason) : lastRun;
  return [writeTally(facts, after, { activeRuns, lastRun: shown, ...(isHolder ? { active: undefined } : {}) })];
}

function others({ run, runs }: TallyFacts): Run[] {
  return runs.filter((one) => one.metadata.uid !== run.metadata.uid);
}

type Tally = ReturnType<typeof tallyOf>;

function writeTally(facts: TallyFacts, tally: Tally, more: Partial<AutomationStatus>): RunAction {
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

/** The automation's status with the tally, which forgets Runs whose verdict is written. */
function statusWith({ automation, runs, now }: TallyFacts, tally: Tally): AutomationStatus {
  const unsettled = new Set(runs.filter((run) => !isSettled(run)).map((run) => run.metadata.uid));
  const kept = forgetRuns(tally, (uid) => !unsettled.has(uid));
  return withTally(automation, kept, { now, generation: automation.metadata.generation });
}
