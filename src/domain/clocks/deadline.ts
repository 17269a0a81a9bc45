import type { NextDeadline } from "../../api/v1alpha1/outcome.ts";
import type { reasons } from "../../api/v1alpha1/reasons.ts";
import { longestWaitMs } from "./limits.ts";

/** Reason on the object that an expired clock ends. */
export type ClockReason = (typeof reasons)[
  | "connectTimeout"
  | "bootTimeout"
  | "buildTimeout"
  | "finalizationTimeout"
  | "executionTimeout"
  | "sandboxLifetimeEnded"
  | "savingWorkspace"
  | "stopped"
  | "workspaceNotSaved"
  | "startDeadlineExceeded"
  | "startFailuresRepeated"
  | "sandboxLost"];

/** An instant at which a clock ends something, and the reason. */
export interface Deadline {
  reason: ClockReason;
  /** Milliseconds since 1970. */
  atMs: number;
}

/** The deadline `delayMs` after an instant that was stored as RFC 3339. */
export function deadlineAfter(since: string, delayMs: number, reason: ClockReason): Deadline {
  return { reason, atMs: Date.parse(since) + delayMs };
}

/** Whether the deadline has passed; it has at its very instant. */
export function hasPassed(deadline: Deadline, now: Date): boolean {
  return now.getTime() >= deadline.atMs;
}

/**
 * The earliest deadline; among equal instants the first of the list. The result does not depend on when it is asked
 * for, so a controller that was down gives the same verdict as one that was not.
 */
export function earliest(deadlines: readonly (Deadline | undefined)[]): Deadline | undefined {
  return deadlines.reduce<Deadline | undefined>(
    (first, next) => (next && (!first || next.atMs < first.atMs) ? next : first),
    undefined,
  );
}

/** Milliseconds until the next check whether this instant (milliseconds since 1970) has come; 0 when it has. */
export function lookAfterMs(atMs: number, now: Date): number {
  return Math.min(Math.max(0, atMs - now.getTime()), longestWaitMs);
}

/** The deadline as a status shows it. */
export function shownDeadline(deadline: Deadline): NextDeadline {
  return { time: new Date(deadline.atMs).toISOString(), reason: deadline.reason };
}
