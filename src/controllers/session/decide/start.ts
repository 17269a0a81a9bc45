import { type Reason, reasons } from "../../../api/v1alpha1/reasons.ts";
import type { Sandbox } from "../../../api/v1alpha1/session-sandbox.ts";
import type { Session } from "../../../api/v1alpha1/session.ts";
import { hasPassed } from "../../../domain/clocks/deadline.ts";
import { startsResume, terminationDeadline } from "../../../domain/clocks/session-clocks.ts";
import type { ObservedPod } from "../../sandbox/facts.ts";
import type { DueStart, SessionFacts } from "../facts.ts";
import { workOf } from "./queue.ts";

/** Failures of a start that another sandbox may not meet; all others would only happen again at once. */
const passing: ReadonlySet<string> = new Set<Reason>([
  reasons.connectTimeout,
  reasons.heartbeatLost,
  reasons.sandboxLost,
  reasons.outOfMemory,
]);

/** Whether the sandbox ended before its boot did, and not because its session no longer wanted it. */
export function hasFailedToStart(sandbox: Sandbox | undefined): boolean {
  return sandbox?.endTime !== undefined && sandbox.readyTime === undefined && sandbox.endReason !== reasons.stopped;
}

/**
 * Whether the failed start also fails the prompt that it was made for: no other sandbox can help, or it had its
 * replacement. For a later prompt it is tried again; a person may have fixed the cause.
 */
export function failsPrompt(sandbox: Sandbox, promptUid: string | undefined): boolean {
  if (!hasFailedToStart(sandbox) || sandbox.forPromptUID !== promptUid) return false;
  return sandbox.replacement === true || !passing.has(sandbox.endReason ?? "");
}

/** Whether there is, or should be, something for a sandbox to do. */
export function wantsSandbox(
  facts: Pick<SessionFacts, "session" | "prompts" | "queue" | "verdict" | "family">,
): boolean {
  const { session, prompts } = facts;
  const { status = {} } = session;
  if (workOf(facts, status).length > 0) return true;
  // A session for people is warmed up at once; one of a Run has its first prompt in a moment.
  const { sandbox, promptsEnded = 0 } = status;
  return sandbox === undefined && promptsEnded === 0 && prompts.length === 0 && session.spec.idleTimeoutSeconds > 0;
}

/** The start that is due now by what is stored; undefined: there is a sandbox, none is wanted, or it has to wait. */
export function dueStart(facts: SessionFacts, now: Date): DueStart | undefined {
  const { sandbox } = facts.session.status ?? {};
  const hasSandbox = facts.start !== undefined || (sandbox !== undefined && sandbox.endTime === undefined);
  if (hasSandbox || facts.obstacle || !wantsSandbox(facts) || startHeldUntil(facts, now) !== undefined)
    return undefined;
  const next = nextAttempt(facts);
  const givenUp = facts.pods.filter(({ attempt }) => attempt < next.attempt).map(({ name }) => name);
  return { ...next, givenUp };
}

/** The attempt that a start would be, and the prompt that it would be for. */
export function nextAttempt({ session, queue }: Pick<SessionFacts, "session" | "queue">): Omit<DueStart, "givenUp"> {
  const { sandbox } = session.status ?? {};
  const forPromptUID = queue.unfinished[0]?.metadata.uid;
  const failed = hasFailedToStart(sandbox) ? sandbox : undefined;
  const isAgain = forPromptUID !== undefined && failed?.forPromptUID === forPromptUID;
  const isAfterPool = isAgain && failed.pool !== undefined;
  return { attempt: (sandbox?.attempt ?? 0) + 1, forPromptUID, replacement: isAgain && !isAfterPool, isAfterPool };
}

/** Until when a wanted start has to wait (milliseconds since 1970; Infinity: for an event), or undefined: start now. */
export function startHeldUntil(facts: SessionFacts, now: Date): number | undefined {
  const { session, pods } = facts;
  const resume = startsResume(session.status?.startFailures ?? []);
  if (resume && !hasPassed(resume, now)) return resume.atMs;
  // Two pods of one session must never both be able to push.
  const blocking = pods.filter(({ attempt }) => attempt <= (session.status?.sandbox?.attempt ?? 0));
  const waits = blocking.flatMap((pod) => goneAt(pod, session, now) ?? []);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/** When a predecessor's pod is given up; undefined: it is. Its node may be dead, and then it never goes. */
function goneAt(pod: ObservedPod, session: Session, now: Date): number | undefined {
  const { attempt, endTime } = session.status?.sandbox ?? {};
  if (!pod.isTerminating) return Infinity;
  if (pod.attempt !== attempt || endTime === undefined) return undefined;
  const deadline = terminationDeadline(endTime);
  return hasPassed(deadline, now) ? undefined : deadline.atMs;
}

/** How long a created pod may stay unrecorded while the container's start is awaited, so that both are one write. */
const recordDelayMs = 10_000;

/** When an unrecorded pod is recorded at the latest. */
export function recordDeadlineMs(createTime: string): number {
  return Date.parse(createTime) + recordDelayMs;
}

/** From its container's start on, a boot that takes longer than this is worth a write that only people read. */
const bootShownMs = 10_000;

/** When a boot that goes on is shown (milliseconds since 1970); undefined: it has not begun, or is over. */
export function bootShownAt({ containerStartTime, readyTime, endTime }: Sandbox): number | undefined {
  if (containerStartTime === undefined || readyTime !== undefined || endTime !== undefined) return undefined;
  return Date.parse(containerStartTime) + bootShownMs;
}

/** How long a phase of boot lasts before it is worth a write that only people read, in milliseconds. */
const phaseShownMs = 30_000;

/** When a phase that is not stored yet is shown at the latest (milliseconds since 1970); undefined: none is to be. */
export function phaseShownAt(stored: Sandbox | undefined, { phase, endTime }: Sandbox): number | undefined {
  if (!phase || endTime !== undefined || stored?.phase?.since === phase.since) return undefined;
  return Date.parse(phase.since) + phaseShownMs;
}
