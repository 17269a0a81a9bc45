import type { Filter } from "../../api/v1alpha1/index.ts";
import { operators } from "./operators.ts";
import { compilePath, missing, resolvePath } from "./path.ts";

/** Whether a delivery's body matches; never throws, whatever the JSON. */
export type Matcher = (body: unknown) => boolean;

/** One matcher for a list of filters, all of which must match; without filters every body does. */
export function compileFilters(filters: readonly Filter[]): Matcher {
  const matchers = filters.map(compileFilter);
  return (body) => matchers.every((matches) => matches(body));
}

function compileFilter({ path, operator, value }: Filter): Matcher {
  const steps = compilePath(path);
  if (!steps) return () => false;
  const judge = operators[operator];
  return (body) => {
    const found = resolvePath(body, steps);
    return found !== missing && judge(found, value);
  };
}
