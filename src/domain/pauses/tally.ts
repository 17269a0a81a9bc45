import { firstCharacters } from "../../lib/characters.ts";
import type { Automation } from "../../api/v1alpha1/automation.ts";
import type { AutomationStatus } from "../../api/v1alpha1/automation-status.ts";
import { annotations, conditionTypes } from "../../api/v1alpha1/names.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import { findCondition } from "../conditions.ts";

/** So many consecutive failed Runs pause an automation. */
export const failureLimit = 3;

/** As many UIDs as the status has room for. */
const rememberedRuns = 64;

/** Longer values of the resume annotation are compared by their beginning, which is what the status has room for. */
const shownRequestCharacters = 64;

/** What an automation remembers of the outcomes of its Runs. */
export interface Tally {
  consecutiveFailures: number;
  /** UIDs of Runs whose outcome is in the tally already, though their own verdict may not be written yet. */
  counted: readonly string[];
  pausedByFailures: boolean;
  /** The last request to resume that is part of the tally. */
  resumeHandledAt: string | undefined;
}

type Observed = Pick<Automation, "metadata" | "spec" | "status">;

/**
 * The tally that the object holds, with a resume that nobody has acted on yet taken in: a new value of the annotation
 * starts the count anew and lifts the pause, and so does lifting `suspend`, but for a pause by failures.
 */
export function tallyOf(automation: Observed): Tally {
  const { status = {} } = automation;
  const requested = resumeRequest(automation);
  const isResumed = requested !== undefined && requested !== status.resumeHandledAt;
  const paused = pausedBecause(status);
  const isReleased = paused === reasons.suspended && !automation.spec.suspend;
  return {
    consecutiveFailures: isResumed || isReleased ? 0 : (status.consecutiveFailures ?? 0),
    counted: status.strikes ?? [],
    pausedByFailures: paused === reasons.tooManyFailures && !isResumed,
    resumeHandledAt: requested ?? status.resumeHandledAt,
  };
}

/** Adds the one strike of a Run, however often it is asked to; the third in a row pauses. */
export function addStrike(tally: Tally, runUid: string): Tally {
  if (tally.counted.includes(runUid)) return tally;
  const consecutiveFailures = tally.consecutiveFailures + 1;
  const pausedByFailures = tally.pausedByFailures || consecutiveFailures >= failureLimit;
  return { ...tally, consecutiveFailures, pausedByFailures, counted: withRun(tally.counted, runUid) };
}

/** A Run that completed in full starts the count anew, once; it lifts no pause. Nothing to do when the count is 0. */
export function clearStrikes(tally: Tally, runUid: string): Tally {
  if (tally.consecutiveFailures === 0 || tally.counted.includes(runUid)) return tally;
  return { ...tally, consecutiveFailures: 0, counted: withRun(tally.counted, runUid) };
}

/** Forgets Runs whose own verdict is written, which nobody will count again. */
export function forgetRuns(tally: Tally, isSettled: (runUid: string) => boolean): Tally {
  return { ...tally, counted: tally.counted.filter((runUid) => !isSettled(runUid)) };
}

function withRun(counted: readonly string[], runUid: string): readonly string[] {
  return [...counted, runUid].slice(-rememberedRuns);
}

function resumeRequest({ metadata }: Observed): string | undefined {
  const value = metadata.annotations?.[annotations.resumeRequestedAt];
  return value === undefined ? undefined : firstCharacters(value, shownRequestCharacters);
}

function pausedBecause(status: AutomationStatus): string | undefined {
  const paused = findCondition(status.conditions, conditionTypes.paused);
  return paused?.status === "True" ? paused.reason : undefined;
}
