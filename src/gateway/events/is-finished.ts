import { conditionTypes, type Session } from "../../api/v1alpha1/index.ts";
import { findCondition } from "../../domain/conditions.ts";

/**
 * Whether nothing more happens in a session by itself: no prompt is unfinished, and its sandbox has ended or cannot be
 * started. A later prompt starts it again.
 */
export function isFinished({ metadata, status }: Session): boolean {
  if (metadata.deletionTimestamp !== undefined) return true;
  if (!status || status.currentPrompt !== undefined || (status.queue ?? []).length > 0) return false;
  const isStalled = findCondition(status.conditions, conditionTypes.stalled)?.status === "True";
  return isStalled || status.sandbox?.endTime !== undefined;
}
