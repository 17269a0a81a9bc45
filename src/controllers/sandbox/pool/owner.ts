import { SandboxPool } from "../../../api/v1alpha1/sandbox-pool.ts";
import type { AttemptOwner } from "../owner.ts";

/** A pool as the owner of the pods that wait in it; none of them is an attempt yet. */
export function poolAsOwner({ metadata, spec }: Pick<SandboxPool, "metadata" | "spec">): AttemptOwner {
  const { sandboxClassName, serviceAccountName } = spec;
  return {
    resource: SandboxPool,
    metadata,
    spec: { target: { repositoryRefs: [] }, sandboxClassName, serviceAccountName },
    keepsWorkspace: false,
    skills: { isFixed: true },
  };
}
