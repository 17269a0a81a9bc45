import { conditionTypes } from "../../../api/v1alpha1/names.ts";
import { type Reason, reasons } from "../../../api/v1alpha1/reasons.ts";
import type { Sandbox } from "../../../api/v1alpha1/session-sandbox.ts";
import type { SessionStatus } from "../../../api/v1alpha1/session.ts";
import { hasPassed } from "../../../domain/clocks/deadline.ts";
import { startsResume } from "../../../domain/clocks/session-clocks.ts";
import { reachedMessage } from "../../../domain/costs/limit.ts";
import type { SessionFacts } from "../facts.ts";
import { type Readiness, storedReadiness } from "../lifecycle.ts";
import type { AttemptEnd } from "../../sandbox/facts.ts";
import { reachedCost } from "./cost.ts";
import { waitsForParent, workOf } from "./queue.ts";
import { hasFailedToStart, wantsSandbox } from "./start.ts";

/** What the status that is being decided on means for people; `end` is the end that this decision brings. */
export function readinessOf(
  facts: SessionFacts,
  status: SessionStatus,
  end: AttemptEnd | undefined,
  now: Date,
): Readiness {
  const { sandbox } = status;
  const held = heldBack(facts, status);
  if (end) return held && end.reason === reasons.stopped ? held : ended(end, status);
  if (held) return held;
  if (sandbox && sandbox.endTime === undefined) return alive(facts, status, sandbox);
  return waiting(facts, status, now) ?? afterEnd(status);
}

const waitsForSiblings =
  "as many of its parent's child sessions are at work as may be at once (maxConcurrentChildSessions)";

/** Prompts wait, and none of them may start. */
function heldBack(facts: SessionFacts, status: SessionStatus): Readiness | undefined {
  if (status.currentPrompt || facts.queue.unfinished.length === 0) return undefined;
  if (waitsForParent(facts.verdict)) return progress(reasons.queued, waitsForSiblings);
  const reached = reachedCost(facts, status);
  if (!reached) return undefined;
  const message = `${reachedMessage(reached, facts.family)}; the prompts that wait go on when the ${facts.family?.root ? "root session" : "Session"}'s is raised`;
  return { reason: reasons.costLimitReached, message, kind: "stalled" };
}

function ended(end: AttemptEnd, { sandbox, currentPrompt }: SessionStatus): Readiness {
  const isPlanned =
    end.reason === reasons.stopped ||
    (end.reason === reasons.sandboxLifetimeEnded && sandbox?.readyTime !== undefined && !currentPrompt);
  return { ...end, kind: isPlanned ? "settled" : "stalled" };
}

function progress(reason: Reason, message: string): Readiness {
  return { reason, message, kind: "progress" };
}

function alive(facts: SessionFacts, status: SessionStatus, sandbox: Sandbox): Readiness {
  const { lease, pods, children } = facts;
  const { currentPrompt } = status;
  if (sandbox.snapshotTime !== undefined) {
    const next = workOf(facts, status).length > 0 ? "; the next prompt begins in another sandbox" : "";
    return progress(reasons.savingWorkspace, `the workspace is being saved${next}`);
  }
  const kind = "settled";
  if (currentPrompt) {
    const message = `Prompt ${currentPrompt.name} is processed${waitingChildren(children)}`;
    return { kind, reason: reasons.running, message };
  }
  if (sandbox.readyTime !== undefined) return { kind, reason: reasons.idle, message: "waiting for a prompt" };
  if (lease) return progress(reasons.booting, "the runtime clones, runs hooks and starts the agent");
  if (sandbox.containerStartTime !== undefined) return progress(reasons.connecting, "the runtime was started");
  const { waiting: pod } = pods.find(({ attempt }) => attempt === sandbox.attempt) ?? {};
  return pod ? progress(pod.reason, pod.message) : progress(reasons.starting, `pod ${sandbox.podName} is starting`);
}

/** The agent may be waiting for them. */
function waitingChildren(children: SessionFacts["children"]): string {
  const { length } = children.filter(({ isQueued }) => isQueued);
  if (length === 0) return "";
  return `; ${length} of its child sessions ${length === 1 ? "waits" : "wait"} for a place`;
}

/** Without a sandbox that lives: what a start waits for. */
function waiting(facts: SessionFacts, status: SessionStatus, now: Date): Readiness | undefined {
  const { obstacle } = facts;
  if (obstacle?.kind === "refused") return { ...obstacle.refusal, kind: "stalled" };
  if (obstacle?.kind === "full") return progress(reasons.queued, obstacle.message);
  if (!wantsSandbox(facts)) return undefined;
  const resume = startsResume(status.startFailures ?? []);
  if (resume && !hasPassed(resume, now)) {
    return progress(resume.reason, failedStarts(status, new Date(resume.atMs).toISOString()));
  }
  return progress(reasons.starting, `a sandbox is being started${inPlaceOf(status)}`);
}

const insteadOf = ", as the last one ended with ";

/** What the last one failed to start for; it stays while the next one is started. */
function inPlaceOf(status: SessionStatus): string {
  const { sandbox } = status;
  const stored = storedReadiness(status);
  if (!hasFailedToStart(sandbox) || !stored) return "";
  const [, said] = stored.message.split(insteadOf);
  if (stored.reason === reasons.starting) return said === undefined ? "" : `${insteadOf}${said}`;
  return stored.reason === sandbox?.endReason ? `${insteadOf}${stored.reason}: ${stored.message}` : "";
}

/** The cause is what was said of the last end; it stays while that is what is said. */
function failedStarts(status: SessionStatus, until: string): string {
  const stored = storedReadiness(status);
  if (stored?.reason === reasons.startFailuresRepeated) return stored.message;
  const { endReason = "" } = status.sandbox ?? {};
  const cause = stored?.reason === endReason ? `${endReason}: ${stored.message}` : endReason;
  return `the last 3 sandboxes failed to start; the next one is tried at ${until}; the last one ended with ${cause}`;
}

/** Nothing to do: the last readiness stays, unless it was one of progress. */
function afterEnd(status: SessionStatus): Readiness {
  const stored = storedReadiness(status);
  const isStalled = status.conditions?.some(({ type }) => type === conditionTypes.stalled) ?? false;
  if (stored && stored.reason !== reasons.costLimitReached && (isStalled || stored.status === "True")) {
    const { reason, message } = stored;
    // Every reason of ours comes from this module and its neighbours.
    return { reason: reason as Reason, message, kind: isStalled ? "stalled" : "settled" };
  }
  return { reason: reasons.stopped, message: "the next prompt starts a sandbox", kind: "settled" };
}
