import { firstCharacters } from "../../lib/characters.ts";
import type { Automation } from "../../api/v1alpha1/automation.ts";
import type { AutomationStatus } from "../../api/v1alpha1/automation-status.ts";
import { annotations, conditionTypes } from "../../api/v1alpha1/names.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import { findCondition } from "../conditions.ts";

/** Number of consecutive failed Runs that pauses an automation. */
export const failureLimit = 3;

/** Number of UIDs that the status has room for. */
const rememberedRuns = 64;

/** Longer values of the resume annotation are cut to what the status has room for, and compared so. */
const shownRequestCharacters = 64;

/** The failures of an automation, as its status records them. */
export interface Tally {
  consecutiveFailures: number;
  /** UIDs of Runs that are in the tally although their own verdict may not be written yet. */
  counted: readonly string[];
  pausedByFailures: boolean;
  /** The last resume request that is part of the tally. */
  resumeHandledAt: string | undefined;
}

type Observed = Pick<Automation, "metadata" | "spec" | "status">;

/**
 * The tally in the status, with a pending resume applied: a new value of the annotation resets the count and lifts the
 * pause. Setting `suspend` to false does the same, except for a pause by failures.
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

/** Adds one strike per Run, however often it is called; the third in a row pauses. */
export function addStrike(tally: Tally, runUid: string): Tally {
  if (tally.counted.includes(runUid)) return tally;
  const consecutiveFailures = tally.consecutiveFailures + 1;
  const pausedByFailures = tally.pausedByFailures || consecutiveFailures >= failureLimit;
  return { ...tally, consecutiveFailures, pausedByFailures, counted: withRun(tally.counted, runUid) };
}

/** A Run that completed in full resets the count, once; it lifts no pause. */
export function clearStrikes(tally: Tally, runUid: string): Tally {
  if (tally.consecutiveFailures === 0 || tally.counted.includes(runUid)) return tally;
  return { ...tally, consecutiveFailures: 0, counted: withRun(tally.counted, runUid) };
}

/** Drops Runs whose own verdict is written, because they are not counted again. */
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
