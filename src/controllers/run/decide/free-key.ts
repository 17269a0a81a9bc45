import type { Run } from "../../../api/v1alpha1/run.ts";
import type { RunEffect } from "../effects.ts";
import { isOrphaned } from "../ownership.ts";

/**
 * Gives a sender the idempotency key of a Run back that ended without having started: the copy is stored before the Run
 * goes. A Run without its automation is not worth it, as the key belongs to the automation's UID.
 */
export function freeKey(run: Run, cause: string | undefined): RunEffect[] {
  if (run.spec.trigger.idempotencyKey === undefined || isOrphaned(cause)) return [];
  return [{ kind: "copySkipped" }, { kind: "deleteRun" }];
}
