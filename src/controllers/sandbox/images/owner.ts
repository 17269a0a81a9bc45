import { PrebuiltImage } from "../../../api/v1alpha1/prebuilt-image.ts";
import type { BundleBuild } from "../../../api/runtime/build.ts";
import type { AttemptOwner, AttemptRecord } from "../owner.ts";

/** A build starts no agent; bundles must name one. */
const noAgent = { command: ["false"], protocol: "exec", permissionRequests: "Reject" } as const;

/** An image as the owner of the attempts that build it. */
export function imageAsOwner(image: PrebuiltImage, build?: BundleBuild): AttemptOwner {
  const { metadata, spec, status } = image;
  const { repositoryRef, environmentRef, sandboxClassName, serviceAccountName } = spec;
  const target = environmentRef ? { environmentRef } : { repositoryRefs: repositoryRef ? [repositoryRef] : [] };
  const record: AttemptRecord | undefined = status?.sandbox;
  return {
    resource: PrebuiltImage,
    metadata,
    spec: { target, sandboxClassName, serviceAccountName, agent: { ...noAgent, command: [...noAgent.command] } },
    keepsWorkspace: false,
    // Skills are installed when a session starts.
    skills: { isFixed: true },
    record,
    build,
  };
}
