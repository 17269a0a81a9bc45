import { reasons } from "../../api/v1alpha1/reasons.ts";
import { type ClockReason, type Deadline, earliest, hasPassed } from "../../domain/clocks/deadline.ts";
import type { ClockLimits } from "../../domain/clocks/limits.ts";
import { attemptOf } from "./labels.ts";
import { savingEnded } from "./decide/saving.ts";
import { foreignStep } from "./observe/foreign-containers.ts";
import type { PodEnd } from "./observe/pod-end.ts";
import { withKnownStep, withNextStep } from "./observe/said.ts";
import type { AttemptEffect } from "./effects.ts";
import type { AttemptEnd, AttemptFacts, CreatedAttempt, ObservedPod } from "./facts.ts";
import type { AttemptRecord } from "./owner.ts";

/** What an owner wants of its attempt while that goes on. */
export interface AttemptTerms {
  limits: ClockLimits;
  lifetimeMs: number | undefined;
  /** All clocks that may end it, the owner's own among them; of those that pass at one instant the first one counts. */
  deadlines: readonly Deadline[];
  /** Messages of the owner's own clocks. */
  clockMessages: Partial<Record<ClockReason, string>>;
  /** Why its workspace is being saved, once it is; the attempt ends for this. */
  savedFor: AttemptEnd | undefined;
  /** It is about to be lost, and is saved before: for this alone it does not end yet. */
  isRescued: boolean;
  /** The owner has no use for it any more. */
  unwanted: AttemptEnd | undefined;
}

/** The record of a pod that was created. */
export function recordOf(start: CreatedAttempt): AttemptRecord {
  const {
    attempt,
    podName,
    podUID,
    createTime,
    pool,
    volumeSnapshotClassName,
    maxUnsavedSeconds,
    tunnels,
    workspaceLimitBytes,
  } = start;
  return {
    attempt,
    podName,
    podUID,
    createTime,
    maxUnsavedSeconds,
    workspaceLimitBytes,
    // It was running when it was taken.
    ...(pool === undefined ? {} : { pool, containerStartTime: createTime }),
    ...(volumeSnapshotClassName === undefined ? {} : { volumeSnapshotClassName }),
    ...(tunnels.length === 0 ? {} : { tunnels: [...tunnels] }),
  };
}

/** The record with what runtime and kubelet have reported since it was stored. */
export function withReports<R extends AttemptRecord>({ pods, lease }: AttemptFacts, record: R, now: Date): R {
  const pod = pods.find(({ attempt }) => attempt === record.attempt);
  const time = now.toISOString();
  return {
    ...record,
    containerStartTime: record.containerStartTime ?? (pod?.isStarted ? time : undefined),
    connectTime: record.connectTime ?? lease?.connectedTime,
    ...bootOf(record, lease, time),
  };
}

/** Once boot has ended it is at no phase. */
function bootOf(
  { readyTime, phase }: AttemptRecord,
  lease: AttemptFacts["lease"],
  time: string,
): Pick<AttemptRecord, "readyTime" | "phase"> {
  if (readyTime !== undefined || lease?.isReady) return { readyTime: readyTime ?? time, phase: undefined };
  return { phase: lease?.phase ?? phase };
}

/** Why the attempt has to end now, if it has to; what was reported counts before clocks. */
export function endOf(
  facts: AttemptFacts,
  record: AttemptRecord,
  terms: AttemptTerms,
  now: Date,
): AttemptEnd | undefined {
  const pod = facts.pods.find(({ attempt }) => attempt === record.attempt);
  return (
    failedBoot(facts) ??
    podEnd(pod, record, {
      isNew: facts.start !== undefined,
      isRescued: terms.isRescued,
      hasConnected: facts.lease !== undefined,
    }) ??
    (facts.isSilent && !terms.isRescued ? silence : undefined) ??
    savingEnded(facts, record, terms.savedFor) ??
    terms.unwanted ??
    passedClock(facts, pod, { ...terms, phase: record.phase, pool: record.pool }, now)
  );
}

export const silence: AttemptEnd = {
  reason: reasons.heartbeatLost,
  message: "the runtime sent no heartbeat for more than 90 seconds",
};

const bootPhases = {
  clone: reasons.cloneFailed,
  setup: reasons.hookFailed,
  start: reasons.hookFailed,
  skills: reasons.skillsNotInstalled,
  agent: reasons.agentNotStarted,
} as const;

function failedBoot({ lease }: AttemptFacts): AttemptEnd | undefined {
  const failure = lease?.bootFailure;
  if (!failure) return undefined;
  if (failure.reason === reasons.policyMismatch) return { reason: reasons.policyMismatch, message: failure.message };
  const reason = bootPhases[failure.phase];
  return { reason, message: withNextStep(reason, `boot failed in phase ${failure.phase}: ${failure.message}`) };
}

/** The end of an attempt whose pod is being deleted. */
export function deletionOf({ name, disruption }: Pick<ObservedPod, "name" | "disruption">): AttemptEnd {
  const cause = disruption === undefined ? "" : `: ${disruption}`;
  return { reason: reasons.sandboxLost, message: withKnownStep(`pod ${name} is being deleted${cause}`) };
}

function podEnd(
  pod: ObservedPod | undefined,
  record: AttemptRecord,
  { isNew, isRescued, hasConnected }: { isNew: boolean; isRescued: boolean; hasConnected: boolean },
): AttemptEnd | undefined {
  const lost = reasons.sandboxLost;
  // The watch may not have shown a new pod yet.
  if (!pod) return isNew ? undefined : { reason: lost, message: `pod ${record.podName} is gone` };
  if (pod.uid !== record.podUID) return { reason: lost, message: `pod ${pod.name} was replaced by another` };
  if (pod.ended) return endSaid(pod.ended, hasConnected);
  if (pod.isTerminating && !isRescued) return deletionOf(pod);
  return pod.waiting?.isHopeless ? { reason: pod.waiting.reason, message: pod.waiting.message } : undefined;
}

/** The end of a pod, with what its agent's container said where none of the agent's programs can have run. */
export function endSaid({ reason, message, agentSaid }: PodEnd, hasConnected: boolean): AttemptEnd {
  if (agentSaid === undefined || hasConnected) return { reason, message };
  return { reason, message: `${message} The agent's container said: ${agentSaid}` };
}

function passedClock(
  facts: AttemptFacts,
  pod: ObservedPod | undefined,
  terms: AttemptTerms & Pick<AttemptRecord, "phase" | "pool">,
  now: Date,
): AttemptEnd | undefined {
  const first = earliest(terms.deadlines);
  if (!first || !hasPassed(first, now)) return undefined;
  const { reason } = first;
  const { limits, lifetimeMs } = terms;
  const messages: AttemptTerms["clockMessages"] = {
    [reasons.connectTimeout]: notConnected(terms.pool, pod),
    [reasons.bootTimeout]: `boot did not end within ${limits.bootTimeoutMs} ms of the pod's creation; ${bootPhase(facts, pod, terms.phase)}`,
    [reasons.sandboxLifetimeEnded]: `the sandbox reached its lifetime of ${String(lifetimeMs)} ms; its workspace was not saved`,
    ...terms.clockMessages,
  };
  return { reason, message: messages[reason] ?? reason };
}

/** A container that others added may be what the runtime's connections go through. */
function notConnected(pool: string | undefined, pod: ObservedPod | undefined): string {
  if (pool === undefined) {
    const late = "the runtime did not connect within 4 minutes of its container's start";
    return pod?.foreign === undefined ? late : `${late}; ${pod.foreign}. ${foreignStep}`;
  }
  return `the sandbox from SandboxPool ${pool} did not answer within 10 seconds`;
}

const doingIn = {
  Restoring: "restoring the saved workspace",
  Cloning: "cloning",
  SetUp: "running .runwright/setup.sh",
  Start: "running .runwright/start.sh",
  StartingAgent: "starting the agent",
} as const;

function hookOf({ repository }: NonNullable<AttemptRecord["phase"]>): string {
  return repository === undefined ? "" : ` of Repository ${repository}`;
}

function bootPhase({ lease }: AttemptFacts, pod: ObservedPod | undefined, phase: AttemptRecord["phase"]): string {
  if (phase) return `since ${phase.since} the runtime was ${doingIn[phase.name]}${hookOf(phase)}`;
  if (lease) return "the runtime was cloning, running hooks or starting the agent";
  if (pod?.isStarted) return "the runtime had not connected";
  return pod?.waiting ? `the pod waited: ${pod.waiting.message}` : "the pod had not started";
}

/** The record of an attempt that is over: the gateway refuses its runtime from here on, and its pod may be deleted. */
export function ended<R extends AttemptRecord>(record: R, { reason }: AttemptEnd, now: Date): R {
  return { ...record, endTime: now.toISOString(), endReason: reason };
}

/**
 * Deletes pods and bundles of attempts that are over. What a predecessor created and could not record has a later number
 * than the record; the next start adopts it, so it goes only when no start is to come.
 */
export function cleanUp(
  { pods, strays = [], secrets, start }: AttemptFacts,
  record: AttemptRecord | undefined,
  { isStartToCome }: { isStartToCome: boolean },
): Extract<AttemptEffect, { kind: "deletePod" | "deleteSecret" }>[] {
  const { attempt = 0, endTime } = record ?? {};
  const isUnclaimed = start === undefined && !isStartToCome;
  const isOver = (of: number): boolean =>
    of < attempt || (of === attempt && endTime !== undefined) || (of > attempt && isUnclaimed);
  return [
    ...strays.filter(({ isTerminating }) => !isTerminating).map((pod) => ({ kind: "deletePod" as const, pod })),
    ...pods
      .filter((pod) => isOver(pod.attempt) && !pod.isTerminating)
      .map((pod) => ({ kind: "deletePod" as const, pod })),
    ...secrets
      .filter((secret) => isOver(attemptOf(secret)) && attemptOf(secret) !== start?.attempt)
      .map((secret) => ({ kind: "deleteSecret" as const, secret })),
  ];
}
