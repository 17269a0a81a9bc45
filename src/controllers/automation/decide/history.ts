import { isDeliveryType } from "../../../api/v1alpha1/index.ts";
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

/** Decides which Runs are deleted, and which keep only their idempotency key. */
export function decideHistory({ automation, runs, sessions }: AutomationFacts, now: Date): HistoryDecision {
  const { history, trigger } = automation.spec;
  const { remove, empty, nextMs } = pruneRuns(runs, history, now);
  const pruned = [
    ...remove.map((run): AutomationEffect[] => [{ kind: "deleteRun", run }]),
    ...empty.map((run): AutomationEffect[] => [
      ...(sessions.get(run.metadata.uid ?? "") ?? []).map((session) => ({ kind: "deleteSession" as const, session })),
      { kind: "emptyRun", run },
    ]),
  ];
  const horizonFacts = { stored: automation.status?.idempotencyHorizon, removed: remove, limits: history };
  return {
    effects: pruned.slice(0, prunedAtOnce).flat(),
    idempotencyHorizon: isDeliveryType(trigger.type) ? idempotencyHorizon(horizonFacts, now) : undefined,
    isHorizonDue: remove.some(isKeyed),
    requeueMs: pruned.length > prunedAtOnce ? 0 : nextMs,
  };
}
