import type { NextDeadline } from "../../api/v1alpha1/outcome.ts";
import type { reasons } from "../../api/v1alpha1/reasons.ts";
import { longestWaitMs } from "./limits.ts";

/** What a clock that runs out is called on the object that it ends. */
export type ClockReason = (typeof reasons)[
  | "connectTimeout"
  | "bootTimeout"
  | "executionTimeout"
  | "sandboxLifetimeEnded"
  | "savingWorkspace"
  | "stopped"
  | "startDeadlineExceeded"
  | "startFailuresRepeated"
  | "sandboxLost"];

/** An instant at which a clock ends something, and what it is ended with. */
export interface Deadline {
  reason: ClockReason;
  /** Milliseconds since 1970. */
  atMs: number;
}

/** The deadline `delayMs` after an instant that was stored as RFC 3339. */
export function deadlineAfter(since: string, delayMs: number, reason: ClockReason): Deadline {
  return { reason, atMs: Date.parse(since) + delayMs };
}

/** A deadline has passed at its instant. */
export function hasPassed(deadline: Deadline, now: Date): boolean {
  return now.getTime() >= deadline.atMs;
}

/**
 * The deadline that comes first; among equal instants the one that is listed first. Absent ones do not run. What it
 * picks does not depend on when one looks, so a controller that was away gives the verdict it would have given then.
 */
export function earliest(deadlines: readonly (Deadline | undefined)[]): Deadline | undefined {
  return deadlines.reduce<Deadline | undefined>(
    (first, next) => (next && (!first || next.atMs < first.atMs) ? next : first),
    undefined,
  );
}

/** After how many milliseconds to look whether this instant (milliseconds since 1970) has come; 0 when it has. */
export function lookAfterMs(atMs: number, now: Date): number {
  return Math.min(Math.max(0, atMs - now.getTime()), longestWaitMs);
}

/** The form that status shows. */
export function shownDeadline(deadline: Deadline): NextDeadline {
  return { time: new Date(deadline.atMs).toISOString(), reason: deadline.reason };
}
