import { conditionTypes, type Integration } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";

/** Whether GitHub is asked without an event: before an Integration's credentials are there, it would refuse them. */
export function mayLook({ status }: Integration): boolean {
  return findCondition(status?.conditions, conditionTypes.ready)?.status === "True" || status?.connection !== undefined;
}
