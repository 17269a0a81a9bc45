/** One judged aspect of an object, in the form that all Kubernetes tools read. */
export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  /** One CamelCase word. */
  reason: string;
  message: string;
  /** RFC 3339; when `status` last changed. */
  lastTransitionTime: string;
  observedGeneration?: number | undefined;
}

/** A verdict without the bookkeeping that {@link setCondition} adds. */
export type Verdict = Pick<Condition, "type" | "status" | "reason" | "message">;

/** When and on which generation verdicts are passed. */
export interface Judgement {
  now: Date;
  generation: number | undefined;
}

export function findCondition<C extends { type: string }>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * The conditions with this verdict in its place. `lastTransitionTime` moves only when the status does; the condition
 * that a write would not change is the same object as before.
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  verdict: Verdict,
  { now, generation }: Judgement,
): Condition[] {
  const before = findCondition(conditions, verdict.type);
  const kept = before?.status === verdict.status ? before.lastTransitionTime : undefined;
  const lastTransitionTime = kept ?? `${now.toISOString().slice(0, 19)}Z`;
  const { type, status, reason, message } = verdict;
  const after: Condition = { type, status, reason, message, lastTransitionTime };
  if (generation !== undefined) after.observedGeneration = generation;
  if (!before) return [...(conditions ?? []), after];
  return (conditions ?? []).map((condition) => (condition.type === type ? after : condition));
}

/** The conditions without this one, for those that exist only while they are true. */
export function removeCondition(conditions: readonly Condition[] | undefined, type: string): Condition[] {
  return (conditions ?? []).filter((condition) => condition.type !== type);
}
