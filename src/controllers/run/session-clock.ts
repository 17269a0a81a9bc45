import { conditionTypes, type Run, type Session } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";
import { type Deadline, hasPassed } from "../../domain/clocks/deadline.ts";
import { isQueued } from "../queued-session.ts";
import type { Child } from "./facts.ts";
import { pendingDeadline, sweepDeadline, waitedMessage } from "./lifecycle.ts";
import type { SessionOutcome } from "./verdict.ts";

/**
 * A pod that is created within this of its Run's start, in milliseconds, leaves the sweep where the start has put it: the Run
 * needs no further write for that. 1 minute.
 */
const promptPodMs = 60_000;

/** Which limit counts for a session of a started Run that has no result, and from when (RFC 3339). */
interface SessionClock {
  counts: "wait" | "work";
  since: string;
}

export function sessionClock(run: Run, session: Session | undefined): SessionClock {
  return session && isQueued(session)
    ? { counts: "wait", since: queuedSince(session) }
    : { counts: "work", since: workingSince(run, session) };
}

/** When the session is ended that has no result; undefined: it waits for a place, and its class gives no limit. */
export function sessionDeadline(run: Run, { session, pendingLimit }: Child): Deadline | undefined {
  const { counts, since } = sessionClock(run, session);
  if (counts === "work") return sweepDeadline(since, run.status?.executionBudgetMs ?? 0);
  return pendingLimit && pendingDeadline(since, pendingLimit);
}

/** The outcome of a session that has none of its own once its deadline has passed; undefined before. */
export function outcomeInTime(run: Run, child: Child, now: Date): SessionOutcome | undefined {
  const deadline = sessionDeadline(run, child);
  if (!deadline || !hasPassed(deadline, now)) return undefined;
  const { name, session, pendingLimit } = child;
  const hasWaited = session && pendingLimit && isQueued(session);
  const message = hasWaited ? waitedMessage(session, pendingLimit) : sweptMessage;
  return { session: name, state: "failed", reason: deadline.reason, message };
}

const sweptMessage = "No result came within the execution budget and 100 minutes";

/** Where it had a sandbox before, that failed to start, and another one is to replace it. */
function queuedSince({ status }: Session): string {
  const since = findCondition(status?.conditions, conditionTypes.ready)?.lastTransitionTime ?? "";
  const { endTime = since } = status?.sandbox ?? {};
  return Date.parse(endTime) > Date.parse(since) ? endTime : since;
}

/** The Run's start, or the creation of a pod that came later. */
function workingSince({ status }: Run, session: Session | undefined): string {
  const { startTime = "" } = status ?? {};
  const { createTime = startTime } = session?.status?.sandbox ?? {};
  return Date.parse(createTime) - Date.parse(startTime) > promptPodMs ? createTime : startTime;
}
