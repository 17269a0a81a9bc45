import { isDeliveryType, type Run } from "../../../api/v1alpha1/index.ts";
import { archiveLookMs } from "../../../domain/archive/stored-mark.ts";
import { longestWaitMs } from "../../../domain/clocks/limits.ts";
import type { AutomationEffect } from "../effects.ts";
import type { AutomationFacts } from "../facts.ts";
import { idempotencyHorizon, isKeyed, pruneRuns } from "../history/history.ts";

/** Runs that are pruned in one pass; the next pass, which follows at once, prunes the others. */
const prunedAtOnce = 100;

export interface HistoryDecision {
  effects: readonly AutomationEffect[];
  /** Since when every idempotency key is remembered; undefined for triggers without deliveries. */
  idempotencyHorizon: string | undefined;
  /** Whether keyed Runs are deleted, so that the horizon must be written before. */
  isHorizonDue: boolean;
  /** Milliseconds until time alone changes the history. */
  requeueMs: number | undefined;
}

/**
 * Decides which Runs are deleted, and which keep only their idempotency key. Those wait that the archive does not have yet, and
 * those whose sessions, or sessions that agents have started in them, are at work, as all of these would end with them.
 */
export function decideHistory(facts: AutomationFacts, now: Date): HistoryDecision {
  const { automation, runs, sessions } = facts;
  const { history, trigger } = automation.spec;
  const due = pruneRuns(runs.filter(isStaying), history, now);
  const mayGo = (run: Run): boolean => lookAgainMs(facts, run) === undefined;
  const [remove, empty] = [due.remove.filter(mayGo), due.empty.filter(mayGo)];
  const pruned = [
    ...remove.map((run): AutomationEffect[] => [{ kind: "deleteRun", run }]),
    ...empty.map((run): AutomationEffect[] => [
      ...(sessions.get(run.metadata.uid ?? "") ?? []).map((session) => ({ kind: "deleteSession" as const, session })),
      { kind: "emptyRun", run },
    ]),
  ];
  const looksMs = [...due.remove, ...due.empty].flatMap((run) => lookAgainMs(facts, run) ?? []);
  const nextMs = Math.min(due.nextMs ?? Infinity, ...looksMs);
  const horizonFacts = { stored: automation.status?.idempotencyHorizon, removed: remove, limits: history };
  return {
    effects: pruned.slice(0, prunedAtOnce).flat(),
    idempotencyHorizon: isDeliveryType(trigger.type) ? idempotencyHorizon(horizonFacts, now) : undefined,
    isHorizonDue: remove.some(isKeyed),
    requeueMs: pruned.length > prunedAtOnce ? 0 : nextMs === Infinity ? undefined : nextMs,
  };
}

/** One that is being deleted goes once nobody's finalizer holds it: another deletion would change nothing. */
function isStaying({ metadata }: Run): boolean {
  return metadata.deletionTimestamp === undefined;
}

/** How soon it is looked whether the Run may be pruned, in milliseconds; undefined: it may. */
function lookAgainMs({ unstored, busy }: AutomationFacts, { metadata: { uid = "" } }: Run): number | undefined {
  if (unstored.has(uid)) return archiveLookMs;
  return busy.has(uid) ? longestWaitMs : undefined;
}
