import type { Filter } from "../../api/v1alpha1/index.ts";
import { compilePath, resolvePath, type Resolved } from "./path.ts";

/** Judges a value that was found against the filter's own. */
type Operator = (found: unknown, wanted: Filter["value"]) => boolean;

function ordering(compare: (found: number, wanted: number) => boolean): Operator {
  // No coercion between text and numbers, in either direction.
  return (found, wanted) => typeof found === "number" && typeof wanted === "number" && compare(found, wanted);
}

const operators = {
  exists: () => true,
  eq: (found, wanted) => found === wanted,
  neq: (found, wanted) => found !== wanted,
  gt: ordering((found, wanted) => found > wanted),
  gte: ordering((found, wanted) => found >= wanted),
  lt: ordering((found, wanted) => found < wanted),
  lte: ordering((found, wanted) => found <= wanted),
  contains: (found, wanted) => typeof found === "string" && typeof wanted === "string" && found.includes(wanted),
} as const satisfies Record<Filter["operator"], Operator>;

/** Result of one filter for a body. */
export interface Finding {
  /** Index of the filter in its list. */
  index: number;
  filter: Filter;
  /** What is at its path; undefined for a path that the API server would refuse. */
  found: Resolved | undefined;
  matches: boolean;
}

/** A list of filters that must all match; never throws for any JSON. */
export interface CompiledFilters {
  /** The first filter that a body does not match; undefined when it matches all. */
  firstMismatch(body: unknown): Finding | undefined;
  /** Every filter in turn. */
  judgeAll(body: unknown): Finding[];
}

export function compileFilters(filters: readonly Filter[]): CompiledFilters {
  const judges = filters.map(compileFilter);
  return {
    firstMismatch(body) {
      for (const judge of judges) {
        const finding = judge(body);
        if (!finding.matches) return finding;
      }
      return undefined;
    },
    judgeAll: (body) => judges.map((judge) => judge(body)),
  };
}

function compileFilter(filter: Filter, index: number): (body: unknown) => Finding {
  const steps = compilePath(filter.path);
  if (!steps) return () => ({ index, filter, found: undefined, matches: false });
  const judge = operators[filter.operator];
  return (body) => {
    const found = resolvePath(body, steps);
    return { index, filter, found, matches: "value" in found && judge(found.value, filter.value) };
  };
}
