import { type AutomationStatus, conditionTypes } from "../../api/v1alpha1/index.ts";
import { withMarks, withoutConditions } from "../../domain/conditions.ts";
import { withTally } from "../../domain/pauses/pause-status.ts";
import { forgetRuns, tallyOf } from "../../domain/pauses/tally.ts";
import { isSettled } from "../../domain/runs/run-state.ts";
import { jsonEqual } from "../../lib/json-equal.ts";
import { activityOf } from "../automation-activity.ts";
import { decideHistory, type HistoryDecision } from "./decide/history.ts";
import { decideKey, keysCountMs, webhookStatus } from "./decide/keys.ts";
import type { AutomationDecision, AutomationEffect } from "./effects.ts";
import type { AutomationFacts } from "./facts.ts";
import { keyMark, readyMark, stalledMark } from "./lifecycle.ts";
import { decideSlot, type SlotDecision } from "./slots/decide.ts";
import { transitions } from "./status-diff.ts";

/** What the release says of all automations. */
export interface AutomationRelease {
  /** Namespace of the Secrets with key hashes and signing secrets. */
  keysNamespace: string;
  /** What senders put before webhook paths; absent where that is not known. */
  deliveryBaseUrl?: string | undefined;
}

/** Decides everything for one automation: the due slot, the key of its webhook, its status and its history. */
export function decideAutomation(
  facts: AutomationFacts,
  now: Date,
  { keysNamespace, deliveryBaseUrl }: AutomationRelease,
): AutomationDecision {
  const slot = decideSlot(facts, now);
  const history = decideHistory(facts, now);
  const keyIssued = keyMark(facts);
  const status = decideStatus(facts, { ...slot, keyIssued, deliveryBaseUrl }, now);
  const { write, gatheringMs } = decideWrite(facts, status, { slot, history });
  return {
    effects: [
      // A slot waits for nothing else.
      ...(slot.firing ? [{ kind: "createRun" as const, ...slot.firing }] : []),
      ...decideKey(facts, keysNamespace),
      ...write,
      // After the status, whose horizon shows which idempotency keys are forgotten.
      ...history.effects,
    ],
    requeueMs: earliest(history.requeueMs, slot.requeueMs),
    keysCountMs: keysCountMs(keyIssued),
    gatheringMs,
  };
}

/** The status without activity, which is written less often. */
function decideStatus(
  facts: AutomationFacts,
  inputs: Parameters<typeof readyMark>[1] & Pick<AutomationRelease, "deliveryBaseUrl">,
  now: Date,
): AutomationStatus {
  const { automation, runs, uncachedRuns } = facts;
  const { generation } = automation.metadata;
  const cached = runs.filter((run) => !isSettled(run)).map((run) => run.metadata.uid);
  const unsettled = new Set([...cached, ...(uncachedRuns ?? [])]);
  const tally = forgetRuns(tallyOf(automation), (uid) => !unsettled.has(uid));
  const counted = withTally(automation, tally, { now, generation });
  const { keyIssued, times, deliveryBaseUrl } = inputs;
  const ready = readyMark(facts, inputs, now);
  const marks = [ready, keyIssued, stalledMark(ready)].filter((mark) => mark !== undefined);
  const absent = [conditionTypes.keyIssued, conditionTypes.stalled, conditionTypes.reconciling].filter((type) => {
    return !marks.some((mark) => mark.type === type);
  });
  const conditions = withMarks(withoutConditions(counted.conditions, absent), marks, { now, generation });
  const webhook = webhookStatus(facts, deliveryBaseUrl);
  return { ...counted, observedGeneration: generation, conditions, webhook, ...times };
}

interface Write {
  write: AutomationEffect[];
  /** Milliseconds until a change of activity alone is written; undefined when none waits. */
  gatheringMs?: number;
}

/** Whether the status is written now; the horizon of idempotency keys is brought up to date with any write. */
function decideWrite(
  { automation, runs, activityMayWaitMs }: AutomationFacts,
  status: AutomationStatus,
  { slot, history }: { slot: SlotDecision; history: HistoryDecision },
): Write {
  const { idempotencyHorizon, isHorizonDue } = history;
  const needed = isHorizonDue ? { ...status, idempotencyHorizon } : status;
  const { activeRuns, lastRun } = activityOf(runs);
  const full = { ...needed, activeRuns, lastRun };
  const before = automation.status;
  if (jsonEqual(full, before ?? {})) return { write: [] };
  if (activityMayWaitMs > 0 && jsonEqual(needed, before ?? {})) return { write: [], gatheringMs: activityMayWaitMs };
  const events = [...(slot.events ?? []), ...transitions(before, full)];
  return { write: [{ kind: "writeStatus", status: { ...full, idempotencyHorizon }, events }] };
}

function earliest(...delaysMs: (number | undefined)[]): number | undefined {
  const known = delaysMs.filter((delayMs) => delayMs !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}
