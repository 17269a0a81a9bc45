import { AutomationSpec } from "../api/v1alpha1/index.ts";

/**
 * What is wrong with an automation that the API server has stored all the same: under an older schema, or because the
 * admission policies are not installed. Undefined when nothing is.
 */
export function specProblem(spec: unknown): string | undefined {
  const { error } = AutomationSpec.safeParse(spec);
  const [issue] = error?.issues ?? [];
  return issue && `${["spec", ...issue.path].join(".")}: ${issue.message}`;
}
