import { labels } from "../../api/v1alpha1/names.ts";
import { Session } from "../../api/v1alpha1/session.ts";
import { childIdleTimeoutSeconds } from "../../domain/children/admit.ts";
import { randomName } from "../../domain/object-names.ts";
import { ownerReferenceTo } from "../../lib/resource.ts";

/** A child session; its name comes from `bytes` (7 or more), so that a repeated request creates no second child. */
export function makeChild(
  parent: Session,
  { bytes, title }: { bytes: Uint8Array; title?: string | undefined },
): Session {
  const { name = "", namespace, uid = "" } = parent.metadata;
  const { target, sandboxClassName, agent, settings, serviceAccountName } = parent.spec;
  return {
    metadata: {
      name: randomName(name, bytes),
      namespace,
      labels: { [labels.parentUid]: uid },
      ownerReferences: [ownerReferenceTo(Session, parent)],
    },
    spec: {
      ...(title === undefined ? {} : { title }),
      target,
      sandboxClassName,
      agent,
      settings,
      serviceAccountName,
      idleTimeoutSeconds: childIdleTimeoutSeconds,
    },
  };
}
