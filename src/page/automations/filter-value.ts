import { filterRules } from "../../api/v1alpha1/filter-rules.ts";
import type { Filter } from "../api.ts";
import { formLimits } from "../generated/form-limits.ts";
import { textProblem } from "../parts/text-problem.ts";

const plainDecimal = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/;

/**
 * The value of a filter as a person typed it: a plain decimal is a number, so that it compares as one; everything else, and
 * the text that `contains` looks for, stays the text that it is.
 */
export function filterValue(operator: Filter["operator"], typed: string): string | number {
  if (operator === "contains" || !plainDecimal.test(typed)) return typed;
  return Number(typed);
}

/** Why the API server would refuse a filter as it was typed; undefined where it takes it. */
export function filterProblem(typed: TypedFilter): string | undefined {
  const path = textProblem(formLimits.filterPath, typed.path);
  if (path !== undefined) return `path ${path}`;
  const filter = filterOf(typed);
  return filterRules.find(({ check }) => !check(filter))?.message;
}

/** A filter in a form. */
export interface TypedFilter {
  path: string;
  operator: Filter["operator"];
  typed: string;
}

export function filterOf({ path, operator, typed }: TypedFilter): Filter {
  return operator === "exists" ? { path, operator } : { path, operator, value: filterValue(operator, typed) };
}
