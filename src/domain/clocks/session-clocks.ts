import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { SessionStatus, Sandbox } from "../../api/v1alpha1/session.ts";
import { type Deadline, deadlineAfter } from "./deadline.ts";
import {
  type ClockLimits,
  connectLimitMs,
  startFailureLimit,
  startFailureWindowMs,
  terminationLimitMs,
} from "./limits.ts";

/** What the clocks of one session run on: instants that the controller stored when it saw the event. */
export interface SessionClockFacts {
  /** The current sandbox; one that is over has no clocks. */
  sandbox?: Pick<Sandbox, "createTime" | "containerStartTime" | "readyTime" | "endTime"> | undefined;
  /** Whether the runtime has connected, ever: the first connect ends the connect watchdog. */
  connected: boolean;
  /** Before this (milliseconds since 1970) the connect watchdog ends nothing; see {@link connectHeldUntilMs}. */
  connectHeldUntilMs?: number | undefined;
  currentPrompt?: Pick<NonNullable<SessionStatus["currentPrompt"]>, "deadline"> | undefined;
  /** Lifetime of the sandbox in milliseconds; absent: nothing of ours ends it. */
  lifetimeMs?: number | undefined;
  /** When the session last ran out of work. */
  idleSince?: string | undefined;
  /** How long an idle sandbox stays, in milliseconds. */
  idleTimeoutMs: number;
}

/**
 * All running clocks of a session but the heartbeat's, in the order in which those that pass at one instant count.
 * The heartbeat runs on the controller's own monotonic clock; see {@link heartbeatLeftMs}.
 */
export function sessionDeadlines(facts: SessionClockFacts, limits: ClockLimits): Deadline[] {
  const { sandbox } = facts;
  if (!sandbox || sandbox.endTime !== undefined) return [];
  const deadlines = [
    executionDeadline(facts),
    connectDeadline(facts),
    bootDeadline(facts, limits),
    lifetimeDeadline(facts),
    idleDeadline(facts),
  ];
  return deadlines.filter((deadline) => deadline !== undefined);
}

function executionDeadline({ currentPrompt }: SessionClockFacts): Deadline | undefined {
  return currentPrompt && deadlineAfter(currentPrompt.deadline, 0, reasons.executionTimeout);
}

/**
 * The connect watchdog; it runs from the container's start until the runtime has connected. One that is held beyond its
 * instant does not run: when it will is known only by what the gateways do until then.
 */
export function connectDeadline({
  sandbox,
  connected,
  connectHeldUntilMs: heldMs = 0,
}: Pick<SessionClockFacts, "sandbox" | "connected" | "connectHeldUntilMs">): Deadline | undefined {
  if (connected || sandbox?.containerStartTime === undefined) return undefined;
  const deadline = deadlineAfter(sandbox.containerStartTime, connectLimitMs, reasons.connectTimeout);
  return deadline.atMs < heldMs ? undefined : deadline;
}

/**
 * Until when the connect watchdog is held, since a runtime has its whole limit only while there is a gateway to connect
 * to: `reachableMs` says for how long there has been one without a break. Undefined: for long enough.
 */
export function connectHeldUntilMs(reachableMs: number, now: Date): number | undefined {
  const leftMs = Math.ceil(connectLimitMs - reachableMs);
  return leftMs > 0 ? now.getTime() + leftMs : undefined;
}

function bootDeadline({ sandbox }: SessionClockFacts, limits: ClockLimits): Deadline | undefined {
  if (!sandbox || sandbox.readyTime !== undefined) return undefined;
  return deadlineAfter(sandbox.createTime, limits.bootTimeoutMs, reasons.bootTimeout);
}

function lifetimeDeadline({ sandbox, lifetimeMs }: SessionClockFacts): Deadline | undefined {
  if (!sandbox || lifetimeMs === undefined) return undefined;
  return deadlineAfter(sandbox.createTime, lifetimeMs, reasons.sandboxLifetimeEnded);
}

function idleDeadline({ sandbox, currentPrompt, idleSince, idleTimeoutMs }: SessionClockFacts): Deadline | undefined {
  if (sandbox?.readyTime === undefined || currentPrompt || idleSince === undefined) return undefined;
  return deadlineAfter(idleSince, idleTimeoutMs, reasons.stopped);
}

/** When starts that were held back after too many failed ones are tried again; undefined while they are not. */
export function startsResume(startFailures: readonly string[]): Deadline | undefined {
  const latest = startFailures.slice(-startFailureLimit);
  const [first] = latest;
  const last = latest.at(-1);
  if (first === undefined || last === undefined || latest.length < startFailureLimit) return undefined;
  const resume = deadlineAfter(first, startFailureWindowMs, reasons.startFailuresRepeated);
  return Date.parse(last) < resume.atMs ? resume : undefined;
}

/** When a Pod that does not go away after its attempt ended is given up, and replaced if there is work. */
export function terminationDeadline(endTime: string): Deadline {
  return deadlineAfter(endTime, terminationLimitMs, reasons.sandboxLost);
}

/**
 * When the saving of the workspace begins, so long before the end of the lifetime; undefined where nothing is to be saved:
 * boot has not ended, it has begun, or the lifetime leaves no time for it.
 */
export function snapshotDeadline(
  {
    sandbox,
    lifetimeMs,
  }: Pick<SessionClockFacts, "lifetimeMs"> & {
    sandbox?: Pick<Sandbox, "createTime" | "readyTime" | "snapshotTime" | "endTime"> | undefined;
  },
  bufferMs: number,
): Deadline | undefined {
  if (sandbox?.readyTime === undefined || sandbox.snapshotTime !== undefined || sandbox.endTime !== undefined) {
    return undefined;
  }
  if (lifetimeMs === undefined || !leavesTimeToSave(lifetimeMs, bufferMs)) return undefined;
  return deadlineAfter(sandbox.createTime, lifetimeMs - bufferMs, reasons.savingWorkspace);
}

/** Whether a lifetime is longer than what is kept free at its end for saving the workspace; both in milliseconds. */
export function leavesTimeToSave(lifetimeMs: number, bufferMs: number): boolean {
  return lifetimeMs > bufferMs;
}
