import type { Condition } from "../../api/v1alpha1/conditions.ts";
import { conditionTypes } from "../../api/v1alpha1/names.ts";
import { type Reason, reasons } from "../../api/v1alpha1/reasons.ts";
import type { SessionStatus } from "../../api/v1alpha1/session.ts";
import { boundedMark } from "../bounded-settings.ts";
import type { FoundSettings } from "../sandbox/facts.ts";

/** What a session's `Ready` says. `progress`: it will become ready by itself; `stalled`: somebody has to do something. */
export interface Readiness {
  status: "True" | "False";
  reason: Reason;
  message: string;
  kind: "settled" | "progress" | "stalled";
}

interface Stamp {
  now: Date;
  generation: number | undefined;
}

/** The status with `Ready`, and with `Reconciling` or `Stalled` exactly while they are true. */
export function markReadiness(status: SessionStatus, { kind, ...ready }: Readiness, stamp: Stamp): SessionStatus {
  const { reason, message } = ready;
  const conditions = [
    condition(status, { type: conditionTypes.ready, ...ready }, stamp),
    ...(kind === "progress"
      ? [condition(status, { type: conditionTypes.reconciling, status: "True", reason, message }, stamp)]
      : []),
    ...(kind === "stalled"
      ? [condition(status, { type: conditionTypes.stalled, status: "True", reason, message }, stamp)]
      : []),
    ...(status.conditions ?? []).filter(({ type }) => warnings.has(type)),
  ];
  return { ...status, conditions, observedGeneration: stamp.generation };
}

/** Conditions that stay while readiness changes. */
const warnings: ReadonlySet<string> = new Set([conditionTypes.foreignNetworkPolicy, conditionTypes.settingsBounded]);

/** The status with settings that were copied, and a warning of those that something bounds; copied once for all. */
export function markSettings(status: SessionStatus, { copied, bounded }: FoundSettings, stamp: Stamp): SessionStatus {
  if (status.settings) return status;
  const warning = boundedMark(bounded);
  if (!warning) return { ...status, ...copied };
  return { ...status, ...copied, conditions: [...(status.conditions ?? []), condition(status, warning, stamp)] };
}

const mostNamed = 5;

/** The status with a warning of policies that select a new sandbox and are not ours; without names there is none. */
export function markForeignPolicies(status: SessionStatus, names: readonly string[], stamp: Stamp): SessionStatus {
  const type = conditionTypes.foreignNetworkPolicy;
  const others = (status.conditions ?? []).filter((one) => one.type !== type);
  if (names.length === 0) return status.conditions ? { ...status, conditions: others } : status;
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
  const message = `the sandbox is also selected by NetworkPolicy ${names.slice(0, mostNamed).join(", ")}${more}`;
  const warning = { type, status: "True" as const, reason: reasons.foreignNetworkPolicy, message };
  return { ...status, conditions: [...others, condition(status, warning, stamp)] };
}

function condition(
  { conditions = [] }: SessionStatus,
  next: Pick<Condition, "type" | "status" | "reason" | "message">,
  { now, generation }: Stamp,
): Condition {
  const old = conditions.find(({ type }) => type === next.type);
  const lastTransitionTime = old?.status === next.status ? old.lastTransitionTime : now.toISOString();
  return { ...next, lastTransitionTime, ...(generation === undefined ? {} : { observedGeneration: generation }) };
}

/** What the stored status says of readiness. */
export function storedReadiness({ conditions = [] }: SessionStatus): Condition | undefined {
  return conditions.find(({ type }) => type === conditionTypes.ready);
}

/** A fault that is retried, on top of what the status says; undefined when it says so already. */
export function markRetrying(status: SessionStatus, message: string, stamp: Stamp): SessionStatus | undefined {
  const { conditions = [] } = status;
  const reason = reasons.progressingWithRetry;
  if (conditions.some((one) => one.type === conditionTypes.reconciling && one.reason === reason)) return undefined;
  const retrying = { type: conditionTypes.reconciling, status: "True" as const, reason, message };
  const others = conditions.filter(({ type }) => type !== conditionTypes.reconciling);
  return { ...status, conditions: [...others, condition(status, retrying, stamp)] };
}
