import type { AutomationSpec } from "../../../api/v1alpha1/automation.ts";
import type { Run } from "../../../api/v1alpha1/run.ts";
import { isCompleted, isSettled, isSkipped } from "../../../domain/runs/run-state.ts";

type HistoryLimits = AutomationSpec["history"];

/** The Runs that an automation's history no longer keeps. */
export interface Pruning {
  /** Runs to delete. */
  remove: readonly Run[];
  /** Runs whose idempotency key is still remembered: they lose payload and sessions and remain for the key. */
  empty: readonly Run[];
  /** Milliseconds until time alone expires another Run; undefined when none will expire. */
  nextMs: number | undefined;
}

/** A Run with its instants (milliseconds since 1970), parsed once: an automation may have ten thousand Runs. */
interface Aged {
  run: Run;
  createdMs: number;
  endedMs: number;
}

/** The end of a keyed Run's name, hashed from the key; unkeyed Runs have 10 random characters there. */
const keyedSuffix = /-[a-z2-7]{26}$/;

/**
 * Whether the Run remembers an idempotency key, which its name shows even after the key was removed. One that never
 * started does not: its sender's next try is to start.
 */
export function isKeyed(run: Run): boolean {
  if (isSkipped(run)) return false;
  return run.spec.trigger.idempotencyKey !== undefined || keyedSuffix.test(run.metadata.name ?? "");
}

/** Whether pruning can empty the Run: it has ended, remembers a key and still has its payload. */
export function canBeEmptied(run: Run): boolean {
  return isSettled(run) && isKeyed(run) && !isEmptied(run);
}

/** Whether a keyed Run was emptied already. */
function isEmptied(run: Run): boolean {
  return run.spec.trigger.payload === undefined;
}

/** When the API server stored the Run, in milliseconds since 1970. */
function createdMs(run: Run): number {
  return Date.parse(run.metadata.creationTimestamp ?? "") || 0;
}

/**
 * Decides which Runs the history of one automation no longer keeps: ended ones older than the time to live, and the
 * oldest beyond the limit of their kind. Unfinished Runs are always kept.
 */
export function pruneRuns(runs: readonly Run[], limits: HistoryLimits, now: Date): Pruning {
  const aged = runs.map(agedRun);
  const ended = aged.filter(({ run }) => isSettled(run)).sort(newestFirst((one) => one.endedMs));
  const isOld = ({ endedMs }: Aged): boolean => now.getTime() >= endedMs + limits.ttlSeconds * 1_000;
  const { completed = [], skipped = [], failed = [] } = Object.groupBy(ended, kindOf);
  const expired = [
    ...completed.filter((one, at) => at >= limits.successfulLimit || isOld(one)),
    ...skipped.filter((one, at) => at >= limits.skippedLimit || isOld(one)),
    ...failed.filter((one, at) => at >= limits.failedLimit || isOld(one)),
  ];
  const gone = new Set(expired);
  const remembered = rememberedRuns(aged, limits, now);
  const changesMs = ended.flatMap((one) => {
    if (!gone.has(one)) return [one.endedMs + limits.ttlSeconds * 1_000];
    return remembered.has(one) ? [forgottenMs(one, limits)] : [];
  });
  const nextMs = changesMs.reduce((first, atMs) => Math.min(first, atMs), Infinity) - now.getTime();
  return {
    remove: expired.filter((one) => !remembered.has(one)).map(({ run }) => run),
    empty: expired.filter((one) => remembered.has(one) && !isEmptied(one.run)).map(({ run }) => run),
    nextMs: changesMs.length === 0 ? undefined : Math.max(0, nextMs),
  };
}

function kindOf({ run }: Aged): "completed" | "skipped" | "failed" {
  if (isCompleted(run)) return "completed";
  return isSkipped(run) ? "skipped" : "failed";
}

function agedRun(run: Run): Aged {
  const made = createdMs(run);
  const { completionTime } = run.status ?? {};
  return { run, createdMs: made, endedMs: completionTime === undefined ? made : Date.parse(completionTime) };
}

/**
 * Runs of the same instant are ordered by name, so that every pass keeps the same ones: if an emptied Run took the place
 * of a kept one, one Run too few would be kept.
 */
function newestFirst(instant: (one: Aged) => number): (one: Aged, other: Aged) => number {
  return (one, other) => {
    const laterMs = instant(other) - instant(one);
    if (laterMs !== 0) return laterMs;
    return (one.run.metadata.name ?? "") < (other.run.metadata.name ?? "") ? 1 : -1;
  };
}

/** Keyed Runs whose key is still remembered: the newest ones within their time. */
function rememberedRuns(runs: readonly Aged[], limits: HistoryLimits, now: Date): Set<Aged> {
  const keyed = runs.filter(({ run }) => isKeyed(run)).sort(newestFirst((one) => one.createdMs));
  const young = keyed.filter((one) => now.getTime() < forgottenMs(one, limits));
  return new Set(young.slice(0, limits.idempotencyKeys));
}

function forgottenMs(one: Aged, { idempotencySeconds }: HistoryLimits): number {
  return one.createdMs + idempotencySeconds * 1_000;
}

interface HorizonFacts {
  /** The horizon in the automation's status; a later one never lies before it. */
  stored: string | undefined;
  /** Runs that are about to be deleted. */
  removed: readonly Run[];
  limits: Pick<HistoryLimits, "idempotencySeconds">;
}

/**
 * Since when every idempotency key is remembered (RFC 3339): a repeat of any delivery accepted later is recognized. Keys
 * are forgotten by age, and the oldest ones where there are too many.
 */
export function idempotencyHorizon({ stored, removed, limits }: HorizonFacts, now: Date): string {
  const byAgeMs = now.getTime() - limits.idempotencySeconds * 1_000;
  const storedMs = Date.parse(stored ?? "") || 0;
  const atMs = removed.filter(isKeyed).reduce((latest, run) => Math.max(latest, createdMs(run)), byAgeMs);
  return new Date(Math.max(atMs, storedMs)).toISOString();
}
