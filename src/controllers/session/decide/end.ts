import { type Reason, reasons } from "../../../api/v1alpha1/reasons.ts";
import type { Sandbox, SessionStatus } from "../../../api/v1alpha1/session.ts";
import type { ClockLimits } from "../../../domain/clocks/limits.ts";
import { type ClockReason, earliest, hasPassed, type Deadline } from "../../../domain/clocks/deadline.ts";
import { sessionDeadlines } from "../../../domain/clocks/session-clocks.ts";
import { settingsOf } from "../../../domain/settings/effective.ts";
import type { ObservedPod, SessionFacts } from "../facts.ts";
import { keepsWorkspace, notDoneInTime, savingEnded, savingEnds } from "./saving.ts";
import { workOf } from "./queue.ts";

/** Why a sandbox is over. */
export interface SandboxEnd {
  reason: Reason;
  /** For people; the prompt that it fails gets it too. */
  message: string;
}

const nothingLeft = "nothing was left to do; the next prompt starts another sandbox";

const bootPhases = {
  clone: reasons.cloneFailed,
  setup: reasons.hookFailed,
  start: reasons.hookFailed,
  agent: reasons.agentNotStarted,
} as const;

/** The session's running clocks; `status` is the one being decided on. */
export function deadlinesOf(facts: SessionFacts, status: SessionStatus, limits: ClockLimits): Deadline[] {
  const isSaving = status.sandbox?.snapshotTime !== undefined;
  const clocks = sessionDeadlines(
    {
      sandbox: status.sandbox,
      connected: hasConnected(facts),
      connectHeldUntilMs: facts.connectHeldUntilMs,
      // One that is processed when the saving begins fails at once.
      currentPrompt: isSaving ? undefined : status.currentPrompt,
      lifetimeMs: status.lifetimeMs,
      // What is saved, or will be, ends with the saving.
      idleSince: isSaving || keepsWorkspace(facts.session) ? undefined : status.idleSince,
      idleTimeoutMs: facts.session.spec.idleTimeoutSeconds * 1_000,
    },
    limits,
  );
  return [...clocks, savingEnds(facts, status) ?? []].flat();
}

/** Whether the runtime of the current attempt has connected, ever. */
function hasConnected({ lease }: SessionFacts): boolean {
  return lease !== undefined;
}

/** When a connect watchdog that is held may go on (milliseconds since 1970); undefined: none is. */
export function connectGoesOn(facts: SessionFacts, { sandbox }: SessionStatus): number | undefined {
  const isRunning = sandbox?.containerStartTime !== undefined && sandbox.endTime === undefined;
  return isRunning && !hasConnected(facts) ? facts.connectHeldUntilMs : undefined;
}

/** Why the sandbox of the status that is being decided on has to end now; what was reported counts before clocks. */
export function endOf(
  facts: SessionFacts,
  status: SessionStatus & { sandbox: Sandbox },
  now: Date,
  limits: ClockLimits,
): SandboxEnd | undefined {
  const { sandbox } = status;
  const pod = facts.pods.find(({ attempt }) => attempt === sandbox.attempt);
  return (
    failedBoot(facts) ??
    podEnd(pod, sandbox, facts.start !== undefined) ??
    silence(facts) ??
    savingEnded(facts, status) ??
    unwanted(facts, status) ??
    passedClock({ facts, status, pod, limits }, now)
  );
}

function failedBoot({ lease }: SessionFacts): SandboxEnd | undefined {
  const failure = lease?.bootFailure;
  if (!failure) return undefined;
  return { reason: bootPhases[failure.phase], message: `boot failed in phase ${failure.phase}: ${failure.message}` };
}

function podEnd(pod: ObservedPod | undefined, sandbox: Sandbox, isNew: boolean): SandboxEnd | undefined {
  const lost = reasons.sandboxLost;
  // Its creation may not have come back by the watch yet.
  if (!pod) return isNew ? undefined : { reason: lost, message: `pod ${sandbox.podName} is gone` };
  if (pod.uid !== sandbox.podUID) return { reason: lost, message: `pod ${pod.name} was replaced by another` };
  if (pod.ended) return pod.ended;
  if (pod.isTerminating) return { reason: lost, message: deletionSaid(pod) };
  if (pod.waiting?.isHopeless) return { reason: pod.waiting.reason, message: pod.waiting.message };
  return undefined;
}

function deletionSaid({ name, disruption }: ObservedPod): string {
  return `pod ${name} is being deleted${disruption === undefined ? "" : `: ${disruption}`}`;
}

function silence({ isSilent }: SessionFacts): SandboxEnd | undefined {
  if (!isSilent) return undefined;
  return { reason: reasons.heartbeatLost, message: "the runtime sent no heartbeat for more than 90 seconds" };
}

/** The prompt that it was started for was withdrawn, and the session keeps no sandbox for the next one. */
function unwanted(facts: SessionFacts, status: SessionStatus): SandboxEnd | undefined {
  const isKept = status.sandbox?.readyTime !== undefined || facts.session.spec.idleTimeoutSeconds > 0;
  if (isKept || workOf(facts, status).length > 0) return undefined;
  return { reason: reasons.stopped, message: nothingLeft };
}

interface ClockView {
  facts: SessionFacts;
  status: SessionStatus;
  pod: ObservedPod | undefined;
  limits: ClockLimits;
}

function passedClock(view: ClockView, now: Date): SandboxEnd | undefined {
  const first = earliest(deadlinesOf(view.facts, view.status, view.limits));
  if (!first || !hasPassed(first, now)) return undefined;
  return { reason: first.reason, message: clockMessage(first.reason, view) };
}

function clockMessage(reason: ClockReason, view: ClockView): string {
  const { lifetimeMs } = view.status;
  // Reasons beyond these belong to other clocks.
  // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- they are never asked for
  switch (reason) {
    case reasons.connectTimeout:
      return "the runtime did not connect within 4 minutes of its container's start";
    case reasons.bootTimeout:
      return `boot did not end within ${view.limits.bootTimeoutMs} ms of the pod's creation; ${bootPhase(view)}`;
    case reasons.executionTimeout:
      return `${notDoneInTime(view.status)}${unsaved(view)}`;
    case reasons.sandboxLifetimeEnded:
      return `the sandbox reached its lifetime of ${String(lifetimeMs)} ms; its workspace was not saved`;
    case reasons.stopped:
      return `${nothingLeft}${unsaved(view)}`;
    default:
      return reason;
  }
}

function unsaved(view: ClockView): string {
  if (view.status.sandbox?.snapshotTime === undefined) return "";
  return `; its workspace was not saved within ${settingsOf(view).finalSnapshotBufferMs} ms`;
}

function bootPhase({ facts, pod }: ClockView): string {
  if (facts.lease) return "the runtime was cloning, running hooks or starting the agent";
  if (pod?.isStarted) return "the runtime had not connected";
  return pod?.waiting ? `the pod waited: ${pod.waiting.message}` : "the pod had not started";
}
