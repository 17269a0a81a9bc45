import type { Sandbox, SessionStatus } from "../../api/v1alpha1/session.ts";
import type { ObjectMeta } from "../../lib/resource.ts";

/** What the gateway reads of an attempt in its owner's status. */
type AttemptRecord = Pick<
  Sandbox,
  | "attempt"
  | "podUID"
  | "endTime"
  | "endReason"
  | "snapshotTime"
  | "snapshotTry"
  | "volumeSnapshotClassName"
  | "workspaceLimitBytes"
>;

/** An object whose status holds a sandbox attempt. Fencing, Leases, saving and restoring know no more of it. */
export interface AttemptOwner {
  metadata: ObjectMeta;
  status?:
    | {
        sandbox?: AttemptRecord | undefined;
        snapshot?: SessionStatus["snapshot"] | undefined;
      }
    | undefined;
}
