import { conditionTypes } from "../api/v1alpha1/names.ts";
import { reasons } from "../api/v1alpha1/reasons.ts";
import type { Mark } from "../domain/conditions.ts";

/** The warning of settings that something bounds, a sentence each; undefined where there are none. */
export function boundedMark(bounded: readonly string[]): Mark | undefined {
  if (bounded.length === 0) return undefined;
  const message = bounded.join("; ");
  return { type: conditionTypes.settingsBounded, status: "True", reason: reasons.settingAboveLimit, message };
}
