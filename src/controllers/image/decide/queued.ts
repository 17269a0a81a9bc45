import { conditionTypes } from "../../../api/v1alpha1/names.ts";
import type { PrebuiltImageStatus } from "../../../api/v1alpha1/prebuilt-image.ts";
import { reasons } from "../../../api/v1alpha1/reasons.ts";
import { findCondition } from "../../../domain/conditions.ts";

/** Since when an image waits for a place, RFC 3339, as its status says, so that a restart of the process changes nothing. */
export function queuedSince(status: PrebuiltImageStatus | undefined): string | undefined {
  const found = findCondition(status?.conditions, conditionTypes.reconciling);
  return found?.reason === reasons.queued ? found.lastTransitionTime : undefined;
}
