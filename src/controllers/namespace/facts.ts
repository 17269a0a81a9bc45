import type { PrebuiltImage } from "../../api/v1alpha1/prebuilt-image.ts";
import type { SandboxClass } from "../../api/v1alpha1/sandbox-class.ts";
import type { SandboxPool } from "../../api/v1alpha1/sandbox-pool.ts";
import type { Session } from "../../api/v1alpha1/session.ts";

/** Everything that was observed for one tenant namespace, from the caches. */
export interface NamespaceFacts {
  sessions: readonly Session[];
  images: readonly PrebuiltImage[];
  pools: readonly SandboxPool[];
  classes: readonly SandboxClass[];
}
