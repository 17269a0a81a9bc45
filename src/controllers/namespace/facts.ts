import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { Session } from "../../api/v1alpha1/session.ts";

/** Everything that was observed for one tenant namespace, from the caches. */
export interface NamespaceFacts {
  sessions: readonly Session[];
  classes: readonly SandboxClass[];
}
