import type { EventsLeftOut } from "../../api/runtime/events-left-out.ts";
import type { Condition } from "../../api/v1alpha1/conditions.ts";
import { conditionTypes } from "../../api/v1alpha1/names.ts";
import { type Reason, reasons } from "../../api/v1alpha1/reasons.ts";
import type { SessionStatus } from "../../api/v1alpha1/session.ts";
import { findCondition, type Mark, type MarkedAt, withMarks, withoutConditions } from "../../domain/conditions.ts";
import { boundedMark } from "../bounded-settings.ts";
import { leftOutMark } from "../left-out-events.ts";
import type { FoundSettings } from "../sandbox/facts.ts";

/** What a session's `Ready` says: True when it is settled, else False. */
export interface Readiness {
  reason: Reason;
  message: string;
  /** `progress`: it will become ready by itself; `stalled`: a person has to do something. */
  kind: "settled" | "progress" | "stalled";
}

/** Conditions that stay while readiness changes. */
const lasting: ReadonlySet<string> = new Set([
  conditionTypes.foreignNetworkPolicy,
  conditionTypes.settingsBounded,
  conditionTypes.workspaceSaved,
  conditionTypes.workspaceRestored,
  conditionTypes.costLimitNotEnforced,
  conditionTypes.prebuiltImageUpdated,
  conditionTypes.hooksPassedOver,
  conditionTypes.eventsLeftOut,
]);

/** The status with `Ready`, and with `Reconciling` or `Stalled` exactly while they are true. */
export function markReadiness(
  status: SessionStatus,
  { kind, reason, message }: Readiness,
  at: MarkedAt,
): SessionStatus {
  const { ready, reconciling, stalled } = conditionTypes;
  const marks: Mark[] = [{ type: ready, status: kind === "settled" ? "True" : "False", reason, message }];
  if (kind === "progress") marks.push({ type: reconciling, status: "True", reason, message });
  if (kind === "stalled") marks.push({ type: stalled, status: "True", reason, message });
  const all = withMarks(status.conditions, marks, at);
  const own = marks.flatMap(({ type }) => findCondition(all, type) ?? []);
  const conditions = [...own, ...all.filter(({ type }) => lasting.has(type))];
  return { ...status, conditions, observedGeneration: at.generation };
}

/** The status with settings that were copied, and a warning of those that something bounds; copied once for all. */
export function markSettings(status: SessionStatus, { copied, bounded }: FoundSettings, at: MarkedAt): SessionStatus {
  if (status.settings) return status;
  const warning = boundedMark(bounded);
  return { ...status, ...copied, ...(warning && { conditions: withMarks(status.conditions, [warning], at) }) };
}

/** The status with a warning of a cost limit that bounds nothing; without a message there is none. */
export function markCostLimit(status: SessionStatus, message: string | undefined, at: MarkedAt): SessionStatus {
  const type = conditionTypes.costLimitNotEnforced;
  const { conditions } = status;
  if (message === undefined) return { ...status, conditions: conditions && withoutConditions(conditions, [type]) };
  const warning = { type, status: "True" as const, reason: reasons.costNotReported, message };
  return { ...status, conditions: withMarks(conditions, [warning], at) };
}

/** The status with a warning of events that were left out; it stays, as they are missing for good. */
export function markLeftOutEvents(
  status: SessionStatus,
  leftOut: EventsLeftOut | undefined,
  at: MarkedAt,
): SessionStatus {
  return leftOut ? { ...status, conditions: withMarks(status.conditions, [leftOutMark(leftOut)], at) } : status;
}

/** What the condition `WorkspaceSaved` or `WorkspaceRestored` says. */
export type WorkspaceMark = Pick<Mark, "status" | "reason" | "message">;

/** The status with what is known of the last save or restore; without a mark it stays as it is. */
export function markWorkspace(
  status: SessionStatus,
  type: (typeof conditionTypes)["workspaceSaved" | "workspaceRestored" | "prebuiltImageUpdated"],
  mark: WorkspaceMark | undefined,
  at: MarkedAt,
): SessionStatus {
  return mark ? { ...status, conditions: withMarks(status.conditions, [{ type, ...mark }], at) } : status;
}

/** What the stored status says of readiness. */
export function storedReadiness({ conditions }: SessionStatus): Condition | undefined {
  return findCondition(conditions, conditionTypes.ready);
}

/** A fault that is retried, on top of what the status says; undefined when it says so already. */
export function markRetrying(status: SessionStatus, message: string, at: MarkedAt): SessionStatus | undefined {
  const type = conditionTypes.reconciling;
  const reason = reasons.progressingWithRetry;
  if (findCondition(status.conditions, type)?.reason === reason) return undefined;
  return { ...status, conditions: withMarks(status.conditions, [{ type, status: "True", reason, message }], at) };
}
