import type { PrebuiltImageStatus } from "../../api/v1alpha1/prebuilt-image.ts";
import type { Sandbox } from "../../api/v1alpha1/session-sandbox.ts";
import type { SessionStatus } from "../../api/v1alpha1/session.ts";
import type { ObjectMeta } from "../../lib/resource.ts";

/** What the gateway reads of an attempt in its owner's status. */
type AttemptRecord = Pick<
  Sandbox,
  | "attempt"
  | "podUID"
  | "pool"
  | "endTime"
  | "endReason"
  | "snapshotTime"
  | "snapshotTry"
  | "volumeSnapshotClassName"
  | "tunnels"
  | "workspaceLimitBytes"
>;

/** An object whose status holds a sandbox attempt: a Session or a PrebuiltImage. */
export interface AttemptOwner {
  metadata: ObjectMeta;
  status?:
    | (Pick<SessionStatus, "snapshot" | "prebuiltImage" | "currentPrompt"> &
        Pick<PrebuiltImageStatus, "image" | "previous"> & { sandbox?: AttemptRecord | undefined })
    | undefined;
}
