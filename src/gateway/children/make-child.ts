import { labels } from "../../api/v1alpha1/names.ts";
import { Session } from "../../api/v1alpha1/session.ts";
import { base32 } from "../../lib/base32.ts";
import { ownerReferenceTo } from "../../lib/resource.ts";

/** Characters of the parent's name that a child's name begins with. */
const prefixCharacters = 30;
const suffixCharacters = 10;
/** Seconds that the sandbox of an idle child waits for a follow-up prompt. */
const idleTimeoutSeconds = 600;

/** A child session; its name comes from `bytes` (7 or more), so that a repeated request creates no second child. */
export function makeChild(
  parent: Session,
  { bytes, title }: { bytes: Uint8Array; title?: string | undefined },
): Session {
  const { name = "", namespace, uid = "" } = parent.metadata;
  const { target, sandboxClassName, agent, settings, serviceAccountName } = parent.spec;
  const prefix = name.slice(0, prefixCharacters).replace(/-+$/, "");
  return {
    metadata: {
      name: `${prefix}-${base32(bytes).slice(0, suffixCharacters)}`,
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
      idleTimeoutSeconds,
    },
  };
}
