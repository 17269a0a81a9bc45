import { group } from "../../api/v1alpha1/kind.ts";
import { conditionTypes } from "../../api/v1alpha1/names.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import { Session } from "../../api/v1alpha1/session.ts";
import type { KubeObject, OwnerReference } from "../../lib/resource.ts";
import { findCondition } from "../conditions.ts";

/** Maximum depth: a child of a child is the last level. */
export const deepestChild = 2;

/** The parent Session of a child session; undefined for other sessions. */
export function parentReference({ metadata }: KubeObject): OwnerReference | undefined {
  return (metadata.ownerReferences ?? []).find(
    ({ apiVersion, kind }) => kind === Session.kind && apiVersion.startsWith(`${group}/`),
  );
}

/**
 * The session at the top of a family: the session itself unless it is a child; `find` looks up existing ones. A reference to one of
 * another namespace, which anybody can write who may write sessions, makes no child.
 */
export function rootOf<S extends KubeObject>(session: S, find: (reference: OwnerReference) => S | undefined): S {
  let root = session;
  for (let depth = 0; depth <= deepestChild; depth += 1) {
    const parent = parentOf(root, find);
    if (!parent) return root;
    root = parent;
  }
  return root;
}

/** Number of sessions above this one, up to one past the maximum; `find` looks up existing ones. A parent that is gone counts. */
export function depthOf(session: KubeObject, find: (reference: OwnerReference) => KubeObject | undefined): number {
  let depth = 0;
  for (let at: KubeObject | undefined = session; at && parentReference(at) && depth <= deepestChild; depth += 1) {
    at = parentOf(at, find);
  }
  return depth;
}

function parentOf<S extends KubeObject>(session: S, find: (reference: OwnerReference) => S | undefined): S | undefined {
  const above = parentReference(session);
  const parent = above && find(above);
  return parent?.metadata.namespace === session.metadata.namespace ? parent : undefined;
}

/** Why a child was refused by its own status; undefined where it was not. */
export function childRefusal({ status }: Pick<Session, "status">): string | undefined {
  const ready = findCondition(status?.conditions, conditionTypes.ready);
  return ready?.reason === reasons.childRefused ? ready.message : undefined;
}
