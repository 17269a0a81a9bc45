import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { Session } from "../../api/v1alpha1/session.ts";

/** Everything that was observed for one tenant namespace, from the caches. */
export interface NamespaceFacts {
  /** Name of the namespace. */
  namespace: string;
  sessions: readonly Session[];
  classes: readonly SandboxClass[];
}

/** Whether the session has a sandbox or may get one soon. */
export function isLive({ metadata, status }: Session): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return status?.sandbox?.endTime === undefined || status.queue !== undefined;
}
