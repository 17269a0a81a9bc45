import {
  type AutomationStatus,
  conditionTypes,
  keyHashDataKey,
  type Condition,
  type Run,
} from "../../api/v1alpha1/index.ts";
import { findCondition, withMarks, withoutConditions } from "../../domain/conditions.ts";
import { forgetRuns, tallyOf } from "../../domain/pauses/tally.ts";
import { withTally } from "../../domain/pauses/pause-status.ts";
import { type Activity, activityOf } from "../automation-activity.ts";
import { idempotencyHorizon } from "./history/idempotency-horizon.ts";
import { isKeyed, pruneRuns } from "./history/history.ts";
import { isSettled } from "../../domain/runs/run-state.ts";
import type { Secret } from "../../kube/core-resources.ts";
import type { AutomationFacts } from "./facts.ts";
import { keyHint, storedHash } from "./key-hash.ts";
import { keyMark, readyMark, stalledMark } from "./lifecycle.ts";
import { isCopy, makeKeyCopy } from "./resources.ts";
import { type Firing, planSchedule, type SchedulePlan } from "./slots/plan.ts";

export type AutomationAction =
  | { kind: "createKey"; secret: Secret }
  | { kind: "replaceKey"; existing: Secret; secret: Secret }
  | { kind: "deleteKey"; existing: Secret }
  | { kind: "deleteRun"; run: Run }
  | { kind: "emptyRun"; run: Run };

export interface AutomationPlan {
  /** The slot that is due, before anything else. */
  firing: Firing | undefined;
  actions: readonly AutomationAction[];
  /** What goes from the history, once the status is written: it says which keys are forgotten by that. */
  pruned: readonly AutomationAction[];
  /** The status but for activity, which is written less often. */
  status: AutomationStatus;
  /** Of idempotency keys, as of now; goes along with what is written anyhow. */
  idempotencyHorizon: string | undefined;
  activity: Activity;
  /** Milliseconds until time alone changes the history or makes a slot due. */
  requeueMs: number | undefined;
  /** Milliseconds for which what was read of Secrets counts; undefined when none matters. */
  rereadMs: number | undefined;
}

/** So many Runs go in one pass; the rest in the next one, at once. */
const prunedAtOnce = 100;
/** How often the Secrets that nobody tells us of are read again. */
const rereadMs = 60_000;
/** How often it is looked whether a first key was issued. */
const firstKeyMs = 10_000;

/** What one automation's status must say, which key hash the ingress must find, and which Runs are history. */
export function planAutomation(facts: AutomationFacts, now: Date, keysNamespace: string): AutomationPlan {
  const { automation, runs } = facts;
  const pruning = pruneRuns(runs, automation.spec.history, now);
  const pruned: AutomationAction[] = [
    ...pruning.remove.map((run) => ({ kind: "deleteRun" as const, run })),
    ...pruning.empty.map((run) => ({ kind: "emptyRun" as const, run })),
  ];
  const removed = pruning.remove.filter(isKeyed);
  const idempotencyHorizon = horizonOf(facts, removed, now);
  const schedule = planSchedule(automation, now);
  const status = { ...statusOf(facts, schedule, now), ...schedule.times };
  return {
    firing: schedule.firing,
    actions: keyActions(facts, keysNamespace),
    pruned: pruned.slice(0, prunedAtOnce),
    status: removed.length === 0 ? status : { ...status, idempotencyHorizon },
    idempotencyHorizon,
    activity: activityOf(runs),
    requeueMs: pruned.length > prunedAtOnce ? 0 : earliest(pruning.nextMs, schedule.requeueMs),
    rereadMs: rereadAfter(findCondition(status.conditions, conditionTypes.keyIssued)),
  };
}

function horizonOf({ automation }: AutomationFacts, removed: readonly Run[], now: Date): string | undefined {
  const { spec, status } = automation;
  if (spec.trigger.type !== "Webhook") return undefined;
  return idempotencyHorizon({ stored: status?.idempotencyHorizon, removed, limits: spec.history }, now);
}

function earliest(...delaysMs: (number | undefined)[]): number | undefined {
  const known = delaysMs.filter((delayMs) => delayMs !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}

function statusOf(facts: AutomationFacts, schedule: SchedulePlan, now: Date): AutomationStatus {
  const { automation, runs } = facts;
  const { generation } = automation.metadata;
  const unsettled = new Set(runs.filter((run) => !isSettled(run)).map((run) => run.metadata.uid));
  const tally = forgetRuns(tallyOf(automation), (uid) => !unsettled.has(uid));
  const counted = withTally(automation, tally, { now, generation });
  const keyIssued = keyMark(facts);
  const ready = readyMark(facts, { keyIssued, schedule, now });
  const marks = [ready, keyIssued, stalledMark(ready)].filter((mark) => mark !== undefined);
  const absent = [conditionTypes.keyIssued, conditionTypes.stalled, conditionTypes.reconciling].filter((type) => {
    return !marks.some((mark) => mark.type === type);
  });
  const conditions = withMarks(withoutConditions(counted.conditions, absent), marks, { now, generation });
  return { ...counted, observedGeneration: generation, conditions, webhook: webhookStatus(facts) };
}

function webhookStatus({ automation, keySecret, source }: AutomationFacts): AutomationStatus["webhook"] {
  if (automation.spec.trigger.type !== "Webhook") return undefined;
  const { namespace = "", name = "" } = automation.metadata;
  const hash = source ? (source.state === "found" ? source.hash : undefined) : storedHash(keySecret);
  const path = `/webhooks/automation/${namespace}.${name}`;
  return hash === undefined ? { path } : { path, keyHint: keyHint(hash) };
}

/** The copy follows its source, and is taken away with it: a hash that nobody vouches for opens nothing. */
function keyActions({ automation, keySecret, source }: AutomationFacts, keysNamespace: string): AutomationAction[] {
  if (source?.state === "found") {
    const secret = makeKeyCopy(automation, source.hash, keysNamespace);
    if (!keySecret) return [{ kind: "createKey", secret }];
    return isSame(keySecret, secret) ? [] : [{ kind: "replaceKey", existing: keySecret, secret }];
  }
  if (!keySecret) return [];
  return source !== undefined || isCopy(keySecret) ? [{ kind: "deleteKey", existing: keySecret }] : [];
}

function isSame(stored: Secret, wanted: Secret): boolean {
  return isCopy(stored) && stored.data?.[keyHashDataKey] === wanted.data?.[keyHashDataKey];
}

function rereadAfter(keyIssued: Condition | undefined): number | undefined {
  if (!keyIssued) return undefined;
  return keyIssued.status === "True" ? rereadMs : firstKeyMs;
}
