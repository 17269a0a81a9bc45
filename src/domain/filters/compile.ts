import type { Filter } from "../../api/v1alpha1/index.ts";
import { operators } from "./operators.ts";
import { compilePath, resolvePath, type Resolved } from "./path.ts";

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
