import { labels } from "../../../api/v1alpha1/names.ts";
import type { Session } from "../../../api/v1alpha1/session.ts";

/** A session that a Run or a session made is deleted with it; without an owner it was orphaned in the deletion. */
export function isLeftBehind({ metadata }: Session): boolean {
  const { [labels.runUid]: run, [labels.parentUid]: parent } = metadata.labels ?? {};
  return (run !== undefined || parent !== undefined) && (metadata.ownerReferences ?? []).length === 0;
}
