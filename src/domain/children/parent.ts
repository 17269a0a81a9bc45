import { group } from "../../api/v1alpha1/kind.ts";
import { conditionTypes } from "../../api/v1alpha1/names.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import { Session } from "../../api/v1alpha1/session.ts";
import type { KubeObject, OwnerReference } from "../../lib/resource.ts";
import { findCondition } from "../conditions.ts";

/** How deep children may lie: a child of a child is the last level. */
export const deepestChild = 2;

/** The Session that a session is a child of; undefined for all others. */
export function parentReference({ metadata }: KubeObject): OwnerReference | undefined {
  return (metadata.ownerReferences ?? []).find(
    ({ apiVersion, kind }) => kind === Session.kind && apiVersion.startsWith(`${group}/`),
  );
}

/** How many sessions are above this one, as far as it matters; `find` gives those that are still there. */
export function depthOf(session: KubeObject, find: (reference: OwnerReference) => KubeObject | undefined): number {
  let depth = 0;
  for (let above = parentReference(session); above && depth <= deepestChild; depth += 1) {
    const parent = find(above);
    above = parent && parentReference(parent);
  }
  return depth;
}

/** Why a child was refused, where its own status says that it was. */
export function childRefusal({ status }: Pick<Session, "status">): string | undefined {
  const ready = findCondition(status?.conditions, conditionTypes.ready);
  return ready?.reason === reasons.childRefused ? ready.message : undefined;
}
