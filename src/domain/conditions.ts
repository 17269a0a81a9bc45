import type { Condition } from "../api/v1alpha1/conditions.ts";

type Conditions = readonly Condition[] | undefined;

/** A condition before it is set on an object. */
export type Mark = Pick<Condition, "type" | "status" | "reason" | "message">;

/** When marks are set, and for which generation. */
export interface MarkedAt {
  now: Date;
  /** Generation of the object that the marks describe. */
  generation: number | undefined;
}

/** The condition of this type, where there is one. */
export function findCondition(conditions: Conditions, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Sets the marks; `lastTransitionTime` changes only where the status changes. */
export function withMarks(conditions: Conditions, marks: readonly Mark[], at: MarkedAt): Condition[] {
  return marks.reduce((list, mark) => withMark(list, mark, at), [...(conditions ?? [])]);
}

/** The conditions without those of the given types. */
export function withoutConditions(conditions: Conditions, types: readonly string[]): Condition[] {
  return (conditions ?? []).filter(({ type }) => !types.includes(type));
}

function withMark(conditions: Condition[], mark: Mark, { now, generation }: MarkedAt): Condition[] {
  const old = findCondition(conditions, mark.type);
  const lastTransitionTime = old?.status === mark.status ? old.lastTransitionTime : now.toISOString();
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const made: Condition = { ...mark, lastTransitionTime, ...observed };
  return old ? conditions.map((condition) => (condition === old ? made : condition)) : [...conditions, made];
}
