import type { Filter } from "../../api/v1alpha1/index.ts";

/** Judges a value that was found against the filter's own. */
type Operator = (found: unknown, wanted: Filter["value"]) => boolean;

function ordering(compare: (found: number, wanted: number) => boolean): Operator {
  // No coercion between text and numbers, in either direction.
  return (found, wanted) => typeof found === "number" && typeof wanted === "number" && compare(found, wanted);
}

export const operators = {
  exists: () => true,
  eq: (found, wanted) => found === wanted,
  neq: (found, wanted) => found !== wanted,
  gt: ordering((found, wanted) => found > wanted),
  gte: ordering((found, wanted) => found >= wanted),
  lt: ordering((found, wanted) => found < wanted),
  lte: ordering((found, wanted) => found <= wanted),
  contains: (found, wanted) => typeof found === "string" && typeof wanted === "string" && found.includes(wanted),
} as const satisfies Record<Filter["operator"], Operator>;
