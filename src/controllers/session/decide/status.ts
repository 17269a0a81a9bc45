import { conditionTypes } from "../../../api/v1alpha1/names.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { Sandbox } from "../../../api/v1alpha1/session-sandbox.ts";
import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import { type ClockLimits, startFailureLimit } from "../../../domain/clocks/limits.ts";
import { earliest, shownDeadline } from "../../../domain/clocks/deadline.ts";
import type { MarkedAt } from "../../../domain/conditions.ts";
import { admitChildren, usualChildLimits } from "../../../domain/children/admit.ts";
import { ended, endOf, recordOf, withReports } from "../../sandbox/decide.ts";
import { foldSaving } from "../../sandbox/decide/saving.ts";
import type { AttemptEnd } from "../../sandbox/facts.ts";
import type { SessionFacts, UnrecordedStart } from "../facts.ts";
import { withForeignPolicies } from "../../foreign-policies-mark.ts";
import { markCostLimit, markLeftOutEvents, markReadiness, markSettings, markWorkspace } from "../lifecycle.ts";
import { foldCost, unenforcedLimit } from "./cost.ts";
import { withoutIdleSaving } from "./idle-saving.ts";
import { notedCosts } from "./noted-costs.ts";
import { afterOutage, shownBy } from "./outage.ts";
import { waitsForNext } from "./next-sandbox.ts";
import { markPassedOver } from "./passed-over.ts";
import { workOf } from "./queue.ts";
import { readinessOf } from "./readiness.ts";
import { foldRestore, restoringMark } from "./restoring.ts";
import { foldImage, updateMark } from "./prebuilt-image.ts";
import { savingStarts } from "./saving.ts";
import { savingMark } from "./saving-mark.ts";
import { deadlinesOf, termsOf } from "./terms.ts";
import { hasFailedToStart, nextAttempt } from "./start.ts";

/** Operator settings and clocks that a decision takes. */
export interface SessionLimits extends ClockLimits {
  /** Execution budget of prompts where none was stored, in milliseconds. */
  executionTimeoutMs: number;
}

/** What is to be stored, and what of it is worth an Event. */
export interface JudgedStatus {
  status: SessionStatus;
  /** The end of a sandbox. */
  end?: AttemptEnd | undefined;
  /** Why a try to save the workspace failed. */
  saveFailure?: string | undefined;
  /** The saved workspace that a sandbox was to begin with is lost. */
  lost?: string | undefined;
}

/**
 * The status as it should be by these facts, whole. Each part builds on those before it: what has ended is folded in,
 * then the sandbox is judged, and only a sandbox that stays gets work.
 */
export function decideStatus(facts: SessionFacts, now: Date, limits: SessionLimits): JudgedStatus {
  const seen = markIdle(
    facts,
    observeSandbox(facts, foldChildren(facts, afterOutage(foldPrompts(facts, now), facts.gatewayOutage)), now),
    now,
  );
  const { status: restored, lost } = foldRestore(facts, foldImage(facts, seen));
  const { found, judged, saveFailure } = judgeSandbox(facts, restored, now, limits);
  const seenBy = shownBy(facts);
  const next = earliest([...deadlinesOf(seenBy, judged, limits), savingStarts(seenBy, judged)]);
  const shown: SessionStatus = { ...judged, nextDeadline: next && shownDeadline(next) };
  const end = found ?? rejectionOf(facts, judged);
  const stamp = { now, generation: facts.session.metadata.generation };
  const saved = markWorkspace(
    shown,
    conditionTypes.workspaceSaved,
    savingMark(facts, shown, { end: found, saveFailure }),
    stamp,
  );
  const restoring = markWorkspace(saved, conditionTypes.workspaceRestored, restoringMark(facts, shown, lost), stamp);
  const marked = markWorkspace(restoring, conditionTypes.prebuiltImageUpdated, updateMark(facts, shown), stamp);
  const warned = markPassedOver(facts, marked, stamp);
  const incomplete = markLeftOutEvents(warned, facts.lease?.eventsLeftOut, stamp);
  const priced = markCostLimit(incomplete, unenforcedLimit(facts, incomplete), stamp);
  return { status: markReadiness(priced, readinessOf(facts, priced, end, now), stamp), end, saveFailure, lost };
}

function judgeSandbox(
  facts: SessionFacts,
  given: SessionStatus,
  now: Date,
  limits: SessionLimits,
): { found?: AttemptEnd; judged: SessionStatus; saveFailure?: string | undefined } {
  const { status: seen, failed: saveFailure } = withoutIdleSaving(facts, given, now);
  if (!isAlive(seen)) return { judged: seen };
  const saving = { starts: savingStarts(facts, seen), saved: seen.snapshot };
  const { record: sandbox, saved } = foldSaving(facts, seen.sandbox, saving, now);
  const folded = { ...seen, sandbox, ...(saved ? { snapshot: saved } : {}) };
  const found = endOf(facts, sandbox, termsOf(facts, folded, limits), now);
  if (found) return { found, judged: endSandbox(folded, found, now), saveFailure };
  return { judged: dispatch(facts, folded, now, limits), saveFailure };
}

function isAlive(status: SessionStatus): status is SessionStatus & { sandbox: Sandbox } {
  return status.sandbox !== undefined && status.sandbox.endTime === undefined;
}

/** Prompts that have their verdict, or were deleted, leave the queue in the write that counts them; admissible ones join it. */
function foldPrompts(facts: SessionFacts, now: Date): SessionStatus {
  const status = foldCurrent(facts);
  const queue = facts.queue.unfinished.map(({ metadata }) => metadata.uid ?? "");
  const gone = (status.queue ?? []).filter((uid) => !queue.includes(uid));
  const left = facts.prompts.filter(({ metadata }) => gone.includes(metadata.uid ?? ""));
  const ended = gone.length === 0 ? {} : { promptsEnded: (status.promptsEnded ?? 0) + gone.length };
  const next = { ...status, ...ended, queue: queue.length === 0 ? undefined : queue };
  return foldCost(facts, next, { left, now });
}

/** Children are admitted or refused in the write that counts them, so that no others of the same moment get in. */
function foldChildren({ children: observed, childCosts = [] }: SessionFacts, status: SessionStatus): SessionStatus {
  const children = admitChildren(status.children, observed, status.settings ?? usualChildLimits);
  if (!children) return status;
  const costs = notedCosts(childCosts, { admitted: children.admitted, existing: observed });
  return { ...status, children: { ...children, ...(costs.length > 0 ? { costs } : {}) } };
}

/** What the processed prompt brought is kept when it has ended. */
function foldCurrent(facts: SessionFacts): SessionStatus {
  const { currentPrompt, ...rest }: SessionStatus = facts.session.status ?? {};
  if (!currentPrompt) return rest;
  if (facts.queue.current) return { ...rest, currentPrompt };
  const prompt = facts.prompts.find(({ metadata }) => metadata.uid === currentPrompt.uid);
  const result = prompt?.status?.result;
  return result ? { ...rest, result } : rest;
}

/** A pod that is due to be recorded, and what runtime and kubelet have reported since. */
function observeSandbox(facts: SessionFacts, status: SessionStatus, now: Date): SessionStatus {
  const { start, obstacle } = facts;
  const stamp = { now, generation: facts.session.metadata.generation };
  const settled = obstacle?.kind === "full" ? markSettings(status, obstacle.settings, stamp) : status;
  const recorded = start ? withRecord(settled, start, stamp) : settled;
  const next = recordRejection(facts, recorded, now);
  if (!isAlive(next)) return next;
  const sandbox = withReports(facts, next.sandbox, now);
  // A start that succeeded closes the account of those that failed.
  return sandbox.readyTime === undefined ? { ...next, sandbox } : { ...next, sandbox, startFailures: undefined };
}

function withRecord(status: SessionStatus, start: UnrecordedStart, stamp: MarkedAt): SessionStatus {
  const { forPromptUID, replacement, foreignPolicies = [], settings } = start;
  const sandbox = { ...recordOf(start), forPromptUID, ...(replacement ? { replacement } : {}) };
  const warned = { ...status, conditions: withForeignPolicies(status.conditions, foreignPolicies, stamp) };
  const fixed = start.skills && { skills: start.skills };
  const isRestored = status.snapshot !== undefined && status.snapshot.problem === undefined;
  const prebuiltImage = start.image ?? (isRestored ? status.prebuiltImage : undefined);
  return { ...markSettings(warned, settings, stamp), sandbox, ...fixed, prebuiltImage, idleSince: undefined };
}

/** A pod that the API server refused counts as an attempt that is over. */
function recordRejection(facts: SessionFacts, status: SessionStatus, now: Date): SessionStatus {
  if (facts.obstacle?.kind !== "rejected") return status;
  const { attempt, forPromptUID, replacement } = nextAttempt(facts);
  const time = now.toISOString();
  const sandbox: Sandbox = {
    attempt,
    podName: facts.obstacle.podName,
    createTime: time,
    endTime: time,
    endReason: reasons.podRejected,
    forPromptUID,
    ...(replacement ? { replacement } : {}),
  };
  return { ...status, sandbox, startFailures: withFailure(status, time) };
}

function rejectionOf({ obstacle }: SessionFacts, { sandbox }: SessionStatus): AttemptEnd | undefined {
  if (obstacle?.kind !== "rejected" || sandbox?.endReason !== reasons.podRejected) return undefined;
  return { reason: reasons.podRejected, message: obstacle.message };
}

function markIdle(facts: SessionFacts, status: SessionStatus, now: Date): SessionStatus {
  const isBusy = workOf(facts, status).length > 0;
  if (isBusy || !isAlive(status) || status.sandbox.readyTime === undefined) return { ...status, idleSince: undefined };
  return { ...status, idleSince: latest(status.idleSince ?? now.toISOString(), facts.lease?.tunnelTime, now) };
}

/** A person who works through a tunnel keeps the sandbox up; the gateway's clock may be ahead of ours. */
function latest(idleSince: string, tunnelTime: string | undefined, now: Date): string {
  if (tunnelTime === undefined) return idleSince;
  const usedMs = Math.min(Date.parse(tunnelTime), now.getTime());
  return usedMs > Date.parse(idleSince) ? new Date(usedMs).toISOString() : idleSince;
}

/** The attempt is over from here on: the gateway turns it away, and its pod may go. A prompt under way stays named. */
function endSandbox(status: SessionStatus & { sandbox: Sandbox }, end: AttemptEnd, now: Date): SessionStatus {
  const sandbox = ended(status.sandbox, end, now);
  // A sandbox from a pool that does not answer is replaced by a new one, and says nothing about starts.
  const isFailure = hasFailedToStart(sandbox) && sandbox.pool === undefined;
  const startFailures = isFailure ? withFailure(status, now.toISOString()) : status.startFailures;
  return { ...status, sandbox, startFailures, idleSince: undefined };
}

function withFailure({ startFailures = [] }: SessionStatus, time: string): string[] {
  return [...startFailures, time].slice(-startFailureLimit);
}

/** Lets the first in line begin when the sandbox is ready and free, and has time for it. What failed while it was idle counts no more. */
function dispatch(
  facts: SessionFacts,
  status: SessionStatus & { sandbox: Sandbox },
  now: Date,
  limits: SessionLimits,
): SessionStatus {
  const [first] = workOf(facts, status);
  const { readyTime, snapshotTime } = status.sandbox;
  const takesPrompts = readyTime !== undefined && snapshotTime === undefined && !waitsForNext(facts, status, now);
  if (!first || status.currentPrompt || !takesPrompts) return status;
  const { name = "", uid = "" } = first.metadata;
  const deadlineMs = now.getTime() + (status.executionTimeoutMs ?? limits.executionTimeoutMs);
  return {
    ...status,
    sandbox: { ...status.sandbox, saveFailures: undefined, saveFailureTime: undefined },
    currentPrompt: { name, uid, startTime: now.toISOString(), deadline: new Date(deadlineMs).toISOString() },
  };
}
