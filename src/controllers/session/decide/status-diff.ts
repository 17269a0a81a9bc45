import { conditionTypes, labels } from "../../../api/v1alpha1/names.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import type { Session, SessionStatus } from "../../../api/v1alpha1/session.ts";
import { jsonEqual } from "../../../lib/json-equal.ts";
import type { SessionFacts } from "../facts.ts";
import { costShownAt } from "./cost.ts";
import { bootShownAt, phaseShownAt, recordDeadlineMs } from "./start.ts";
import type { JudgedStatus } from "./status.ts";

/** Whether the status has a change that others act on, and that cannot wait. */
export function isFactToWrite(facts: SessionFacts, { status, end }: JudgedStatus, now: Date): boolean {
  // A new pod that waits to be recorded goes along with what cannot wait.
  const urgent = !end && awaitsContainer(facts, status, now) ? withoutRecord(facts.session, status) : status;
  return changesFacts(facts.session, urgent);
}

/** Whether the status has a change that only people read, and that need not wait for one that others act on. */
export function isWordsToWrite(facts: SessionFacts, status: SessionStatus, now: Date): boolean {
  const { session } = facts;
  if (awaitsPrompt(facts) || awaitsContainer(facts, status, now) || isBootHeldBack(facts, status, now)) return false;
  if (changesFacts(session, status)) return false;
  return (
    isPhaseDue(session, status, now) ||
    isCostDue(session, status, now) ||
    !jsonEqual(shownOf(session.status ?? {}), shownOf(status))
  );
}

function isPhaseDue(session: Session, { sandbox }: SessionStatus, now: Date): boolean {
  const shownMs = sandbox && phaseShownAt(session.status?.sandbox, sandbox);
  return shownMs !== undefined && now.getTime() >= shownMs;
}

function isCostDue(session: Session, { sandbox }: SessionStatus, now: Date): boolean {
  const shownMs = sandbox && costShownAt(session.status?.sandbox, sandbox);
  return shownMs !== undefined && now.getTime() >= shownMs;
}

/** Whether writing `next` over the stored status would change what others act on. */
function changesFacts(session: Session, next: SessionStatus): boolean {
  return !jsonEqual(factsOf(session.status ?? {}), factsOf(withoutFirst(session, next)));
}

/** What gateway, Run controller and clocks go by. */
function factsOf({
  conditions: _,
  observedGeneration: __,
  nextDeadline: ___,
  costUsd: ____,
  sandbox,
  ...rest
}: SessionStatus): object {
  const unread = { connectTime: undefined, phase: undefined, costUsd: undefined, costTime: undefined };
  return { ...rest, sandbox: sandbox && { ...sandbox, ...unread } };
}

/**
 * Messages alone are not worth a write, as the kubelet words one failure in several ways by turns; only that of a session
 * at work is, which says how many of its children wait, and that of events that were left out, which names the budget.
 */
function shownOf({ conditions = [], observedGeneration, nextDeadline }: SessionStatus): object {
  return {
    said: conditions.map(({ type, status, reason, message }) => {
      const tells = reason === reasons.running || type === conditionTypes.eventsLeftOut;
      return [type, status, reason, ...(tells ? [message] : [])];
    }),
    observedGeneration,
    nextDeadline,
  };
}

/** The first prompt of a session needs no admission of its own: its dispatch says enough. */
function withoutFirst(session: Session, next: SessionStatus): SessionStatus {
  const { status = {}, metadata } = session;
  const isFirst = status.queue === undefined && next.queue?.length === 1 && (status.promptsEnded ?? 0) === 0;
  const isUndispatched = next.currentPrompt === undefined && metadata.labels?.[labels.runUid] !== undefined;
  return isFirst && isUndispatched ? { ...next, queue: undefined } : next;
}

function withoutRecord({ status: stored = {} }: Session, status: SessionStatus): SessionStatus {
  const { sandbox, executionTimeoutMs, lifetimeMs, settings, settingOrigins, repositories, idleSince } = stored;
  const { skills, prebuiltImage } = stored;
  return {
    ...status,
    sandbox,
    executionTimeoutMs,
    lifetimeMs,
    settings,
    settingOrigins,
    repositories,
    skills,
    prebuiltImage,
    idleSince,
  };
}

/** Whether recording a new pod can be put off until its container runs, or something shows that it will not. */
function awaitsContainer({ start, pods }: SessionFacts, { sandbox }: SessionStatus, now: Date): boolean {
  if (!start || sandbox?.containerStartTime !== undefined) return false;
  const pod = pods.find(({ uid }) => uid === start.podUID);
  return !pod?.waiting && now.getTime() < recordDeadlineMs(start.createTime);
}

/** A Run's session gets its first prompt in a moment; until then there is nothing to say. */
function awaitsPrompt({ session, prompts }: SessionFacts): boolean {
  const { metadata, status = {} } = session;
  return metadata.labels?.[labels.runUid] !== undefined && prompts.length === 0 && status.conditions === undefined;
}

/** A runtime that connects is usually ready soon, and then one write says both. */
function isBootHeldBack({ lease }: SessionFacts, { sandbox }: SessionStatus, now: Date): boolean {
  const shownMs = sandbox && bootShownAt(sandbox);
  return lease !== undefined && shownMs !== undefined && now.getTime() < shownMs;
}
