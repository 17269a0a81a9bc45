import type { Filter } from "../api.ts";

const plainDecimal = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/;

/**
 * The value of a filter as a person typed it: a plain decimal is a number, so that it compares as one; everything else, and
 * the text that `contains` looks for, stays the text that it is.
 */
export function filterValue(operator: Filter["operator"], typed: string): string | number {
  if (operator === "contains" || !plainDecimal.test(typed)) return typed;
  return Number(typed);
}

const orderings: readonly string[] = ["gt", "gte", "lt", "lte"];

/** What is wrong with a filter as it was typed; undefined where the API server takes it. */
export function filterProblem({ path, operator, typed }: TypedFilter): string | undefined {
  if (!/^\$(\.[^.[\]()*?]+)+$/.test(path))
    return "The path must be like $.alert.severity, without indexes and wildcards.";
  if (operator === "exists") return undefined;
  if (orderings.includes(operator) && typeof filterValue(operator, typed) !== "number") {
    return "This operator compares numbers: the value must be a plain decimal such as 3 or -0.5.";
  }
  return undefined;
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
