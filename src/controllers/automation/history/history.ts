import type { AutomationSpec } from "../../../api/v1alpha1/automation.ts";
import type { Run } from "../../../api/v1alpha1/run.ts";
import { isCompleted, isSettled } from "../../../domain/runs/run-state.ts";

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

/** A Run with its instants, in milliseconds since 1970, read once: an automation may have ten thousand of them. */
interface Aged {
  run: Run;
  createdMs: number;
  endedMs: number;
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

/** When the API server stored the Run, in milliseconds since 1970. */
export function createdMs(run: Run): number {
  return Date.parse(run.metadata.creationTimestamp ?? "") || 0;
}

/**
 * Decides what goes from the history of one automation: ended Runs beyond the limits of their kind, newest kept, or
 * older than the time to live. Unfinished Runs never go.
 */
export function pruneRuns(runs: readonly Run[], limits: HistoryLimits, now: Date): Pruning {
  const aged = runs.map(agedRun);
  const ended = aged.filter(({ run }) => isSettled(run)).sort(newestFirst((one) => one.endedMs));
  const isOld = ({ endedMs }: Aged): boolean => now.getTime() >= endedMs + limits.ttlSeconds * 1_000;
  const expired = [
    ...ended.filter(({ run }) => isCompleted(run)).filter((one, at) => at >= limits.successfulLimit || isOld(one)),
    ...ended.filter(({ run }) => !isCompleted(run)).filter((one, at) => at >= limits.failedLimit || isOld(one)),
  ];
  const remembered = rememberedRuns(aged, limits, now);
  return {
    remove: expired.filter((one) => !remembered.has(one)).map(({ run }) => run),
    empty: expired.filter((one) => remembered.has(one) && !isEmptied(one.run)).map(({ run }) => run),
    nextMs: firstExpiryMs(ended, { gone: new Set(expired), remembered, limits, now }),
  };
}

function agedRun(run: Run): Aged {
  const made = createdMs(run);
  const { completionTime } = run.status ?? {};
  return { run, createdMs: made, endedMs: completionTime === undefined ? made : Date.parse(completionTime) };
}

/**
 * Of Runs of one instant the name decides, so that the next look spares the same ones: an emptied Run that took the place
 * of a kept one would be one too few.
 */
function newestFirst(instant: (one: Aged) => number): (one: Aged, other: Aged) => number {
  return (one, other) => {
    const laterMs = instant(other) - instant(one);
    if (laterMs !== 0) return laterMs;
    return (one.run.metadata.name ?? "") < (other.run.metadata.name ?? "") ? 1 : -1;
  };
}

/** Keyed Runs whose key is still known: the newest ones, and not for ever. */
function rememberedRuns(runs: readonly Aged[], limits: HistoryLimits, now: Date): Set<Aged> {
  const keyed = runs.filter(({ run }) => isKeyed(run)).sort(newestFirst((one) => one.createdMs));
  const young = keyed.filter((one) => now.getTime() < forgottenMs(one, limits));
  return new Set(young.slice(0, limits.idempotencyKeys));
}

interface Expiry {
  gone: ReadonlySet<Aged>;
  remembered: ReadonlySet<Aged>;
  limits: HistoryLimits;
  now: Date;
}

function firstExpiryMs(ended: readonly Aged[], { gone, remembered, limits, now }: Expiry): number | undefined {
  const instants = ended.flatMap((one) => {
    if (!gone.has(one)) return [one.endedMs + limits.ttlSeconds * 1_000];
    return remembered.has(one) ? [forgottenMs(one, limits)] : [];
  });
  return instants.length === 0 ? undefined : Math.max(0, instants.reduce((a, b) => Math.min(a, b)) - now.getTime());
}

function forgottenMs(one: Aged, { idempotencySeconds }: HistoryLimits): number {
  return one.createdMs + idempotencySeconds * 1_000;
}
