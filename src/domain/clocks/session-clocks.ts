import { reasons } from "../../api/v1alpha1/reasons.ts";
import type { Sandbox } from "../../api/v1alpha1/session-sandbox.ts";
import type { SessionStatus } from "../../api/v1alpha1/session.ts";
import { type Deadline, deadlineAfter } from "./deadline.ts";
import {
  type ClockLimits,
  claimLimitMs,
  connectLimitMs,
  startFailureLimit,
  startFailureWindowMs,
  terminationLimitMs,
} from "./limits.ts";

/** Facts that the clocks of one session depend on; instants are those that the controller stored. */
export interface SessionClockFacts {
  /** The current sandbox; an ended one has no clocks. */
  sandbox?:
    | Pick<
        Sandbox,
        "createTime" | "containerStartTime" | "readyTime" | "endTime" | "forPromptUID" | "gatewaysAwayMs" | "pool"
      >
    | undefined;
  /** Whether the runtime ever connected: the first connect ends the connect watchdog. */
  connected: boolean;
  /** Before this (milliseconds since 1970) the connect watchdog ends nothing; see {@link connectHeldUntilMs}. */
  connectHeldUntilMs?: number | undefined;
  /** No gateway is there: the clocks of boot, prompt and idleness stand still. The lifetime is the pod's age and runs on. */
  isWithoutGateway?: boolean | undefined;
  currentPrompt?: Pick<NonNullable<SessionStatus["currentPrompt"]>, "uid" | "startTime" | "deadline"> | undefined;
  /** Lifetime of the sandbox in milliseconds; absent = no limit. */
  lifetimeMs?: number | undefined;
  /** Execution budget of a prompt in milliseconds; absent before it is known. */
  executionTimeoutMs?: number | undefined;
  /** When the session last ran out of work. */
  idleSince?: string | undefined;
  /** How long an idle sandbox stays, in milliseconds. */
  idleTimeoutMs: number;
}

/**
 * All running clocks of a session except the heartbeat's; of those that expire at one instant, the first counts. The
 * heartbeat runs on the controller's own monotonic clock; see {@link heartbeatLeftMs}.
 */
export function sessionDeadlines(facts: SessionClockFacts, limits: ClockLimits): Deadline[] {
  const { sandbox, isWithoutGateway = false } = facts;
  if (!sandbox || sandbox.endTime !== undefined) return [];
  const deadlines = isWithoutGateway
    ? [connectDeadline(facts), lifetimeDeadline(facts)]
    : [
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
 * The connect watchdog, which runs from the container's start until the runtime has connected. It does not run while it
 * is held beyond its instant: the gateways' availability decides when it expires.
 */
export function connectDeadline({
  sandbox,
  connected,
  connectHeldUntilMs: heldMs = 0,
}: Pick<SessionClockFacts, "sandbox" | "connected" | "connectHeldUntilMs">): Deadline | undefined {
  if (connected || sandbox?.containerStartTime === undefined) return undefined;
  // It waited at a gateway, and a new sandbox does as well.
  if (sandbox.pool !== undefined) return deadlineAfter(sandbox.createTime, claimLimitMs, reasons.connectTimeout);
  const deadline = deadlineAfter(sandbox.containerStartTime, connectLimitMs, reasons.connectTimeout);
  return deadline.atMs < heldMs ? undefined : deadline;
}

/**
 * Until when the connect watchdog is held: a runtime has its whole limit only while it can reach a gateway, which was so
 * for the last `reachableMs` without a break. Undefined = not held.
 */
export function connectHeldUntilMs(reachableMs: number, now: Date): number | undefined {
  const leftMs = Math.ceil(connectLimitMs - reachableMs);
  return leftMs > 0 ? now.getTime() + leftMs : undefined;
}

function bootDeadline({ sandbox }: SessionClockFacts, limits: ClockLimits): Deadline | undefined {
  if (!sandbox || sandbox.readyTime !== undefined) return undefined;
  const { createTime, gatewaysAwayMs = 0 } = sandbox;
  return deadlineAfter(createTime, limits.bootTimeoutMs + gatewaysAwayMs, reasons.bootTimeout);
}

function lifetimeDeadline(facts: SessionClockFacts): Deadline | undefined {
  const { sandbox, lifetimeMs } = facts;
  if (!sandbox || lifetimeMs === undefined) return undefined;
  const deadline = deadlineAfter(sandbox.createTime, lifetimeMs, reasons.sandboxLifetimeEnded);
  return { ...deadline, atMs: Math.max(deadline.atMs, firstPromptEndsMs(facts)) };
}

/** Facts by which the lifetime waits for the first prompt of a sandbox. */
type FirstPromptFacts = Pick<SessionClockFacts, "currentPrompt" | "lifetimeMs" | "executionTimeoutMs"> & {
  sandbox?: Pick<Sandbox, "forPromptUID"> | undefined;
};

/**
 * When the prompt that the sandbox was started for has had its execution timeout, in milliseconds since 1970; -Infinity
 * where the lifetime does not wait for it. Boot takes its time from the lifetime and must not take it from that prompt.
 * A lifetime that is shorter than the execution timeout bounds the prompt too.
 */
function firstPromptEndsMs({
  sandbox,
  currentPrompt,
  lifetimeMs = 0,
  executionTimeoutMs = Infinity,
}: FirstPromptFacts): number {
  if (!currentPrompt || currentPrompt.uid !== sandbox?.forPromptUID || executionTimeoutMs > lifetimeMs)
    return -Infinity;
  return Date.parse(currentPrompt.startTime) + executionTimeoutMs;
}

function idleDeadline({ sandbox, currentPrompt, idleSince, idleTimeoutMs }: SessionClockFacts): Deadline | undefined {
  if (sandbox?.readyTime === undefined || currentPrompt || idleSince === undefined) return undefined;
  return deadlineAfter(idleSince, idleTimeoutMs, reasons.stopped);
}

/** When starts resume after too many failed ones; undefined while they are not delayed. */
export function startsResume(startFailures: readonly string[]): Deadline | undefined {
  const latest = startFailures.slice(-startFailureLimit);
  const [first] = latest;
  const last = latest.at(-1);
  if (first === undefined || last === undefined || latest.length < startFailureLimit) return undefined;
  const resume = deadlineAfter(first, startFailureWindowMs, reasons.startFailuresRepeated);
  return Date.parse(last) < resume.atMs ? resume : undefined;
}

/** When a Pod that still terminates after its attempt ended counts as lost, and is replaced if there is work. */
export function terminationDeadline(endTime: string): Deadline {
  return deadlineAfter(endTime, terminationLimitMs, reasons.sandboxLost);
}

/**
 * When saving the workspace begins, `bufferMs` before the end of the lifetime, but not before the prompt that the sandbox
 * was started for has had its execution timeout; undefined before the end of boot, once saving has begun, and where the
 * lifetime leaves no time for it.
 */
export function snapshotDeadline(
  facts: FirstPromptFacts & {
    sandbox?: Pick<Sandbox, "createTime" | "readyTime" | "snapshotTime" | "endTime" | "forPromptUID"> | undefined;
  },
  bufferMs: number,
): Deadline | undefined {
  const { sandbox, lifetimeMs } = facts;
  if (sandbox?.readyTime === undefined || sandbox.snapshotTime !== undefined || sandbox.endTime !== undefined) {
    return undefined;
  }
  if (lifetimeMs === undefined || !leavesTimeToSave(lifetimeMs, bufferMs)) return undefined;
  const deadline = deadlineAfter(sandbox.createTime, lifetimeMs - bufferMs, reasons.savingWorkspace);
  return { ...deadline, atMs: Math.max(deadline.atMs, firstPromptEndsMs(facts)) };
}

/**
 * Until when a sandbox takes prompts beside the one that it was started for, in milliseconds since 1970: while their whole
 * execution timeout is left before saving begins. Where no sandbox leaves as much, half of what one leaves has to be left, or
 * each prompt would need a sandbox of its own. Undefined: at any time.
 */
export function takesPromptsUntil(
  { sandbox, lifetimeMs, executionTimeoutMs }: LifetimeFacts,
  bufferMs: number,
): number | undefined {
  if (!sandbox || lifetimeMs === undefined || executionTimeoutMs === undefined) return undefined;
  if (!leavesTimeToSave(lifetimeMs, bufferMs)) return undefined;
  const usableMs = lifetimeMs - bufferMs;
  const neededMs = executionTimeoutMs <= usableMs ? executionTimeoutMs : usableMs / 2;
  return Date.parse(sandbox.createTime) + usableMs - neededMs;
}

interface LifetimeFacts {
  sandbox?: Pick<Sandbox, "createTime"> | undefined;
  lifetimeMs?: number | undefined;
  executionTimeoutMs?: number | undefined;
}

/** Whether a lifetime is longer than the time reserved at its end for saving the workspace; both in milliseconds. */
export function leavesTimeToSave(lifetimeMs: number, bufferMs: number): boolean {
  return lifetimeMs > bufferMs;
}
