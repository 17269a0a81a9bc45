import type { AutomationSpec } from "../../api/v1alpha1/automation.ts";
import type { Run } from "../../api/v1alpha1/run.ts";
import { isCompleted, isSettled } from "./run-state.ts";

type HistoryLimits = AutomationSpec["history"];

/** What is to go from an automation's history. */
export interface Pruning {
  /** Runs that nobody needs any more. */
  remove: readonly Run[];
  /** Runs whose idempotency key is still remembered: they lose payload and sessions and stay as the key's memory. */
  empty: readonly Run[];
  /** Milliseconds until time alone makes another Run go; undefined when none will. */
  nextMs: number | undefined;
}

/** Length of the part of a keyed Run's name that is hashed from the key; unkeyed ones have 10 random characters. */
const keyedSuffix = /-[a-z2-7]{26}$/;

/** Whether the Run stands for an idempotency key, which its name tells even when the key was removed. */
export function isKeyed(run: Run): boolean {
  return run.spec.trigger.idempotencyKey !== undefined || keyedSuffix.test(run.metadata.name ?? "");
}

/** A keyed Run that was pruned already. */
export function isEmptied(run: Run): boolean {
  return run.spec.trigger.payload === undefined;
}

/**
 * Decides what goes from the history of one automation: ended Runs beyond the limits of their kind, newest kept, or
 * older than the time to live. Unfinished Runs never go.
 */
export function pruneRuns(runs: readonly Run[], limits: HistoryLimits, now: Date): Pruning {
  const ended = runs.filter(isSettled).sort((a, b) => endedMs(b) - endedMs(a));
  const expired = [
    ...ended.filter(isCompleted).filter((run, at) => at >= limits.successfulLimit || isOld(run, limits, now)),
    ...ended
      .filter((run) => !isCompleted(run))
      .filter((run, at) => at >= limits.failedLimit || isOld(run, limits, now)),
  ];
  const remembered = rememberedRuns(runs, limits, now);
  const gone = new Set(expired);
  return {
    remove: expired.filter((run) => !remembered.has(run)),
    empty: expired.filter((run) => remembered.has(run) && !isEmptied(run)),
    nextMs: firstExpiryMs(ended, { gone, remembered, limits, now }),
  };
}

/** Keyed Runs whose key is still known: the newest ones, and not for ever. */
function rememberedRuns(runs: readonly Run[], limits: HistoryLimits, now: Date): Set<Run> {
  const newestFirst = runs.filter(isKeyed).sort((a, b) => createdMs(b) - createdMs(a));
  const young = newestFirst.filter((run) => now.getTime() < forgottenMs(run, limits));
  return new Set(young.slice(0, limits.idempotencyKeys));
}

interface Expiry {
  gone: ReadonlySet<Run>;
  remembered: ReadonlySet<Run>;
  limits: HistoryLimits;
  now: Date;
}

function firstExpiryMs(ended: readonly Run[], { gone, remembered, limits, now }: Expiry): number | undefined {
  const instants = ended.flatMap((run) => {
    if (!gone.has(run)) return [endedMs(run) + limits.ttlSeconds * 1_000];
    return remembered.has(run) ? [forgottenMs(run, limits)] : [];
  });
  return instants.length === 0 ? undefined : Math.max(0, instants.reduce((a, b) => Math.min(a, b)) - now.getTime());
}

function isOld(run: Run, { ttlSeconds }: HistoryLimits, now: Date): boolean {
  return now.getTime() >= endedMs(run) + ttlSeconds * 1_000;
}

function forgottenMs(run: Run, { idempotencySeconds }: HistoryLimits): number {
  return createdMs(run) + idempotencySeconds * 1_000;
}

function endedMs(run: Run): number {
  return run.status?.completionTime === undefined ? createdMs(run) : Date.parse(run.status.completionTime);
}

function createdMs(run: Run): number {
  return Date.parse(run.metadata.creationTimestamp ?? "") || 0;
}
